# A process for one slot: opens its file, then writes and reads, blocking, one message after the other (slot-process.ts). It ends with the
# main process, and the kernel closes the file. Needs only what the Debian package perl-base contains.
use strict;
use warnings;
use Fcntl qw(F_SETFL F_SETOWN O_ASYNC O_NOCTTY O_RDONLY O_RDWR);

use constant {
    CHANNEL => 3,
    LEASH => 4,
    HEADER_SIZE => 4,
    # The same numbers as in slot-process.ts.
    OPEN => 1,
    EXCHANGE => 2,
    REPEAT => 4,
    OK => 0,
    FAILED => 1,
    REPEATED => 2,
    RESTARTED => 3,
    GOES_ON => 0,
    LATE => 1,
    NOT_ANSWERED => 2,
    # A repeated exchange needs a turn of the main process every 900 ms, and ends after a gap: the module may have lost its state.
    LEASE_S => 0.9,
    GAP_S => 0.9,
    # Time between two repeated exchanges; wire-protocol.md section 2.
    MIN_INTERVAL_S => 0.09,
    MAX_INTERVAL_S => 0.11,
    # After an exchange that took longer the module may have restarted: half of what wire-protocol.md section 1 says.
    LATE_S => 0.1,
    MODE_RUN => "\1\3\3",
    MAX_BYTES => 4096,
    EINTR => 4,
    EIO => 5,
    ENOTTY => 25,
};

# The main process stops first, and needs the slots until it is done.
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE);
$SIG{IO} = 'DEFAULT';
# When the main process ends, in whatever way, the leash breaks and SIGIO ends this process, also in a blocked call.
open(my $leash, '<&=', LEASH) or die "no leash: $!";
fcntl($leash, F_SETOWN, $$ + 0) && fcntl($leash, F_SETFL, O_ASYNC) or die "no leash: $!";
vec(my $broken = '', LEASH, 1) = 1;
exit 0 if select($broken, undef, undef, 0) > 0;
open(my $channel, '+<&=', CHANNEL) or die "no channel: $!";

# The clock goes on while this process is stopped. It counts hundredths of a second.
sysopen(my $clock, '/proc/uptime', O_RDONLY) or die "no clock: $!";
my $file;
my $failed_notifications; # counts them; open, since a read from its beginning takes a fifth of the time
my @last_run; # when the last MODE_RUN was answered, and how many notifications had failed; empty after another answer
my $bytes = '';
my %repeated; # request, response, count, last, until, state: the exchange that is repeated
my $left_s; # until the next time
my $asked; # since when the last exchange was asked for

for (;;) {
    my $going = %repeated && $repeated{state} == GOES_ON;
    my $now = $going && (defined $asked || length $bytes) ? now() : undef;
    # The main process asks the module before the next MODE_RUN: that would hide a restart.
    if ($going && defined $asked && $now - $asked > LATE_S) {
        $repeated{state} = LATE;
        $going = 0;
    }
    undef $asked;
    repeat($now) if $going && defined $now && $now - $repeated{last} >= MAX_INTERVAL_S;
    if (defined(my $request = message())) {
        my ($kind, $body) = unpack 'x4 C a*', $request;
        $asked = $now if $kind == EXCHANGE;
        my @answer = $kind == EXCHANGE ? $body eq MODE_RUN ? run($body) : exchange($body)
            : $kind == REPEAT ? renew($body, $now // now()) : change_file($kind, $body);
        syswrite($channel, pack 'N/a*', pack 'C a*', @answer) // exit 0;
        next;
    }
    my $found = 1;
    if ($going) {
        vec(my $ready = '', CHANNEL, 1) = 1;
        # Linux returns the rest of the time.
        ($found, $left_s) = select $ready, undef, undef, $left_s;
    }
    if ($found > 0) { receive() or exit 0 }
    elsif ($found == 0) { repeat(now()) }
}

sub now {
    sysseek $clock, 0, 0;
    sysread $clock, my $text, 32;
    return substr $text, 0, index $text, ' ';
}

# Repeats an exchange from now on, or a little longer. The answer says how often that was done, in which time, and whether it goes on.
sub renew {
    my ($body, $now) = @_;
    if (!%repeated) {
        my ($request, $response) = unpack '(n/a*)2', $body;
        %repeated = (request => $request, response => $response, count => 0, last => $now, state => GOES_ON);
        $left_s = pause_s();
    }
    my $answer = pack 'C N N', @repeated{qw(state count)}, 1000 * ($now - $repeated{last});
    @repeated{qw(count until)} = (0, $now + LEASE_S);
    # The main process takes over.
    %repeated = () if $repeated{state} != GOES_ON;
    return (REPEATED, $answer);
}

sub pause_s { return MIN_INTERVAL_S + rand MAX_INTERVAL_S - MIN_INTERVAL_S }

# The main process handles whatever is not the usual answer.
sub repeat {
    my ($now) = @_;
    if ($now > $repeated{until} || $now - $repeated{last} > GAP_S) {
        $repeated{state} = LATE;
        return;
    }
    $left_s = pause_s();
    my ($status, $response) = run($repeated{request});
    if ($status != OK || $response ne $repeated{response}) {
        $repeated{state} = NOT_ANSWERED;
        return;
    }
    $repeated{last} = $now;
    $repeated{count}++;
}

# Adds what has come. False at the end.
sub receive {
    for (;;) {
        my $count = sysread $channel, $bytes, 2 * MAX_BYTES, length $bytes;
        return $count if defined $count || $! != EINTR;
    }
}

# Takes the first whole message; undef if there is none.
sub message {
    return if length $bytes < HEADER_SIZE;
    my $size = HEADER_SIZE + unpack 'N', $bytes;
    return length $bytes < $size ? undef : substr $bytes, 0, $size, '';
}

sub failure {
    my ($call, $errno) = @_;
    return (FAILED, pack 'N a*', $errno // $! + 0, $call);
}

# Closes the file, and opens another if requested: a character device. Any other file must not be written to.
sub change_file {
    my ($kind, $body) = @_;
    my ($path, $count) = split /\0/, $body;
    my $open = $file;
    undef $file;
    undef $failed_notifications;
    %repeated = @last_run = ();
    if (defined $open) { close $open or return failure('close') }
    return (OK, '') if $kind != OPEN;
    sysopen(my $opened, $path, O_RDWR | O_NOCTTY) or return failure('open');
    return failure('open', ENOTTY) if !-c $opened;
    $file = $opened;
    # Without it no MODE_RUN counts as failed.
    sysopen($failed_notifications, $count, O_RDONLY) or undef $failed_notifications;
    return (OK, '');
}

# Sends MODE_RUN. If it is answered long after the last one, and a notification has failed since that, then the state of the module is not
# known. On a busy machine it may be this process that is late.
sub run {
    my ($request) = @_;
    my @answer = exchange($request);
    my ($before, $failed_before) = @last_run;
    @last_run = ();
    return @answer if $answer[0] != OK;
    @last_run = (my $now, my $failed) = (now(), failed_count());
    return @answer if !defined $before || $now - $before <= MAX_INTERVAL_S + LATE_S || $failed eq $failed_before;
    $repeated{state} = LATE if %repeated;
    syswrite($channel, pack 'N C', 1, RESTARTED) // exit 0;
    return @answer;
}

sub failed_count {
    return '' if !defined $failed_notifications;
    sysseek $failed_notifications, 0, 0;
    # undef when the module has left: the same as no counter.
    sysread $failed_notifications, my $count, 32;
    return $count // '';
}

sub exchange {
    my ($payload) = @_;
    defined syswrite $file, $payload or return failure('write');
    for (;;) {
        my $count = sysread $file, my $answer, MAX_BYTES;
        return (OK, $answer) if $count;
        # A module has no end of file.
        return failure('read', EIO) if defined $count;
        return failure('read') if $! != EINTR;
    }
}
