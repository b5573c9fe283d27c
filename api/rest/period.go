package rest

import (
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// MomentOf reads a moment, or a day; of a day the end, when end is set.
func MomentOf(field, text string, end bool) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Year() >= 2000 && at.Year() <= 2200 {
		at = at.UTC()
		return &at, nil
	}
	if len(text) > len(time.DateOnly) {
		return nil, store.Invalid(field, "bad_moment", "Enter a time such as 2026-01-31T12:00:00Z, or a day")
	}
	day, err := DayOf(field, text)
	if err == nil && end {
		*day = day.AddDate(0, 0, 1)
	}
	return day, err
}

// Period reads the moments between which something was.
func Period(from, to string) (begin, end *time.Time, err error) {
	if begin, err = MomentOf("from", from, false); err != nil {
		return nil, nil, err
	}
	if end, err = MomentOf("to", to, true); err != nil {
		return nil, nil, err
	}
	if begin != nil && end != nil && end.Before(*begin) {
		return nil, nil, store.Invalid("to", "before_from", "Enter an end after the start")
	}
	return begin, end, nil
}

// DayOf reads a day; nil when there is none.
func DayOf(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 2000 || day.Year() > 2200 {
		return nil, store.Invalid(field, "bad_day", "Enter a day such as 2026-01-31")
	}
	return &day, nil
}
