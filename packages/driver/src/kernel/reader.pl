# Makes the calls on /sys for the service (reader-process.ts). Each may block permanently, so workers make them: forked copies of this process,
# one for each request that is running. Needs only what the Debian package perl-base contains.
use strict;
use warnings;
use Fcntl qw(F_SETFL F_SETOWN O_ASYNC O_CREAT O_RDONLY O_TRUNC O_WRONLY);

use constant {
    CHANNEL => 3,
    HEADER_SIZE => 4,
    # Most bytes that are read from a file: one page, the kernel's limit for an attribute.
    READ_SIZE => 4096,
    # For each of the eight slots four calls may block: a notification, the descriptor, the power figures and the rid.
    MAX_WORKERS => 40,
    # Others end when they have answered.
    MAX_IDLE => 2,
    OK => 0,
    FAILED => 1,
    # A part of the answer: more follow.
    PART => 2,
    EINTR => 4,
    # Pauses after a notification that could not be read, in seconds: from the first to the longest, each twice as long as the one before.
    FIRST_PAUSE_S => 0.001,
    MAX_PAUSE_S => 0.1,
    # A file that always has a notification is read so often in a second, then once a millisecond.
    MAX_AT_ONCE => 200,
};
# The same numbers as in reader-messages.ts.
my %calls = (1 => \&list, 2 => \&resolve, 3 => \&read_all, 4 => \&write_file, 5 => \&follow, 6 => \&watch);

# The main process stops first, and needs this one until it is done.
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE CHLD);
$SIG{IO} = 'DEFAULT';
# When this process ends, in whatever way, the pipe breaks and SIGIO ends the workers, also in a blocked call.
setpgrp(0, 0);
pipe(my $leash, my $holder) or die "no pipe: $!";
fcntl($leash, F_SETOWN, -(getpgrp(0) + 0)) && fcntl($leash, F_SETFL, O_ASYNC) or die "no leash: $!";
# The workers have the channel, too: it closes when all have ended.
open(my $channel, '+<&=', CHANNEL) or die "no channel: $!";

my %workers; # by the number of the file with its answers
my @idle;
my @waiting;
my $partial = '';

for (;;) {
    my $files = '';
    vec($files, $_, 1) = 1 for CHANNEL, keys %workers;
    next if select(my $ready = $files, undef, undef, undef) < 0;
    if (vec($ready, CHANNEL, 1)) {
        receive($channel, \$partial) or exit 0;
        while (defined(my $request = message_of(\$partial))) { push @waiting, $request }
    }
    for my $number (grep { vec($ready, $_, 1) } keys %workers) {
        my $worker = $workers{$number};
        # A worker that was killed: the main process starts another reader, and repeats all requests.
        receive($worker->{answers}, \$worker->{partial}) or exit 1;
        while (defined(my $answer = message_of(\$worker->{partial}))) {
            send_message($channel, $answer) or exit 0;
            next if (unpack('x8 C', $answer) // OK) == PART;
            if (@waiting || @idle < MAX_IDLE) { push @idle, $worker }
            else { delete $workers{$number} }
        }
    }
    while (@waiting && (my $worker = pop @idle || start_worker())) { send_message($worker->{requests}, shift @waiting) or exit 1 }
}

# Undef if there are enough, or there is no room for another.
sub start_worker {
    return if keys %workers >= MAX_WORKERS;
    pipe(my $from_parent, my $requests) && pipe(my $answers, my $to_parent) or return;
    my $pid = fork;
    return if !defined $pid;
    if ($pid == 0) {
        # A worker that has files of others would keep them from ending.
        %workers = @idle = ();
        close $_ for $holder, $requests, $answers;
        work($from_parent, $to_parent);
    }
    return $workers{fileno $answers} = { requests => $requests, answers => $answers, partial => '' };
}

my $send_part;

sub work {
    my ($requests, $answers) = @_;
    my $bytes = '';
    while (receive($requests, \$bytes)) {
        my $request = message_of(\$bytes);
        next if !defined $request;
        my ($id, $kind, @parts) = unpack 'x4 N C (N/a*)*', $request;
        $send_part = sub { send_message($answers, pack 'N/a*', pack 'N C N/a*', $id, PART, $_[0]) or exit 0 };
        send_message($answers, pack 'N/a*', pack 'N (C N/a*)*', $id, $calls{$kind}->(@parts)) or last;
    }
    exit 0;
}

# Adds what has come. False at the end.
sub receive {
    my ($from, $bytes) = @_;
    for (;;) {
        my $count = sysread $from, $$bytes, 65_536, length $$bytes;
        return $count if defined $count || $! != EINTR;
    }
}

# Takes the first whole message; undef if there is none.
sub message_of {
    my ($bytes) = @_;
    return if length $$bytes < HEADER_SIZE;
    my $size = HEADER_SIZE + unpack 'N', $$bytes;
    return length $$bytes < $size ? undef : substr $$bytes, 0, $size, '';
}

sub send_message {
    my ($to, $bytes) = @_;
    for (my $sent = 0; $sent < length $bytes;) {
        my $count = syswrite $to, $bytes, length($bytes) - $sent, $sent;
        return 0 if !defined $count && $! != EINTR;
        $sent += $count // 0;
    }
    return 1;
}

sub failure {
    my ($call) = @_;
    return (FAILED, pack 'N a*', $! + 0, $call);
}

sub list {
    my ($folder) = @_;
    opendir(my $names, $folder) or return failure('scandir');
    return map { (OK, $_) } grep { !/^\.\.?$/ } readdir $names;
}

sub resolve {
    my ($file) = @_;
    require Cwd;
    my $path = -e $file ? Cwd::abs_path($file) : undef;
    return defined $path ? (OK, $path) : failure('realpath');
}

sub read_all { return map { content_of($_, 0) } @_ }

# Reads notifications without end: the kernel may take a module for a missing one if a notification waits. Ends when a read fails after the
# longest pause, or at once if that was so before.
sub follow {
    my ($failed_before, $file) = @_;
    my $pause_s = $failed_before ? MAX_PAUSE_S : FIRST_PAUSE_S;
    my ($second, $count) = (0, 0);
    for (;;) {
        my @read = content_of($file, 1);
        if ($read[0] == OK && $read[1] =~ /^0x/) {
            $send_part->($read[1]) if $read[1] ne "0x01060103\0";
            $pause_s = FIRST_PAUSE_S;
            ($second, $count) = (time, 0) if $second != time;
            select undef, undef, undef, FIRST_PAUSE_S if ++$count > MAX_AT_ONCE;
            next;
        }
        $send_part->($read[1]) if $read[0] == OK;
        return @read if $pause_s >= MAX_PAUSE_S && $read[0] != OK;
        select undef, undef, undef, $pause_s;
        $pause_s = 2 * $pause_s < MAX_PAUSE_S ? 2 * $pause_s : MAX_PAUSE_S;
    }
}

# To the end of the file or of the page: one that has no end must not fill the memory.
sub content_of {
    my ($file, $once) = @_;
    sysopen(my $in, $file, O_RDONLY) or return failure('open');
    my $bytes = '';
    for (;;) {
        my $count = sysread $in, $bytes, READ_SIZE - length $bytes, length $bytes;
        return failure('read') if !defined $count && $! != EINTR;
        return (OK, $bytes) if defined $count && ($once || $count == 0 || length $bytes == READ_SIZE);
    }
}

# Looks at the slots in a folder, their rids, and at files. Answers as soon as something differs from what is known, or after so many looks.
sub watch {
    my ($pause_s, $looks, $known, $folder, @files) = @_;
    for (;;) {
        my $seen = unpack 'H*', look($folder, @files);
        return (OK, $seen) if $seen ne $known || --$looks <= 0;
        select undef, undef, undef, $pause_s;
    }
}

sub look {
    my ($folder, @files) = @_;
    opendir(my $names, $folder) or return 'none ' . ($! + 0);
    my @slots = sort grep { /^slot[0-7]$/ } readdir $names;
    return join ' ', @slots, map { pack 'C N/a*', content_of($_, 1) } (map { "$folder/$_/rid" } @slots), @files;
}

sub write_file {
    my ($file, $content) = @_;
    sysopen(my $out, $file, O_WRONLY | O_CREAT | O_TRUNC) or return failure('open');
    defined syswrite $out, $content or return failure('write');
    close $out or return failure('close');
    return;
}
