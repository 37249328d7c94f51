export { createKernelBackplane, type KernelBackplane, type KernelBackplaneOptions } from './kernel-backplane.ts'
export { KernelDriverError, OLDEST_KERNEL_DRIVER } from './kernel-driver.ts'
export { ChildEnded, type FileContent, KernelFileError, type KernelFiles, type SlotFile } from './kernel-files.ts'
export { SystemFiles } from './system-files.ts'
