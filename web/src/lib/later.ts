/** Parts of the first view that come to life after it: until they are there, what is pressed is held (main.tsx). */
export const later = new Set<Promise<unknown> | undefined>()
