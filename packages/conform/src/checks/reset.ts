/** Body of every reset. */
export const basicReset = { reset: 'yes' }
