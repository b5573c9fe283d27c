import { day } from '@/lib/format'

/** "Nov 21, 2026" of "2026-11-21", whatever the reader's time zone. */
export const calendarDay = (date: string | null | undefined) => day(date && `${date}T12:00`)
