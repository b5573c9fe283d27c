package stripe

import (
	"encoding/json"
	"strconv"
	"time"
)

// list is a page of objects, newest first.
type list struct {
	Object  string `json:"object"`
	Data    []any  `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

// listOf returns the page that limit, starting_after, ending_before and created request, of
// the objects that fit. Fits returns when an object was created and whether it passes the
// endpoint's own filters.
func listOf[T any](c *call, bucket, url string, fits func(*T) (created int64, ok bool)) (any, error) {
	limit, after, before, err := c.paging()
	if err != nil {
		return nil, err
	}
	inWindow, err := c.form.window()
	if err != nil {
		return nil, err
	}
	if err := c.pageMarks(bucket, after, before); err != nil {
		return nil, err
	}
	page := list{Object: "list", Data: []any{}, URL: url}
	wanted := func(id string, doc *T) (bool, error) {
		lagging, err := isHidden(c.tx, id, c.now)
		created, ok := fits(doc)
		return ok && !lagging && inWindow(created), err
	}
	started, failure := after == "", error(nil)
	err = newest(c.tx, bucket, func(id string, doc *T) (goOn bool) {
		if !started {
			started = id == after
			return true
		}
		if id == before {
			return false
		}
		var included bool
		if included, failure = wanted(id, doc); failure != nil || !included {
			return failure == nil
		}
		if before == "" && len(page.Data) == limit {
			page.HasMore = true
			return false
		}
		failure = page.add(doc)
		return failure == nil
	})
	if before != "" && len(page.Data) > limit { // the ones nearest to it
		page.HasMore, page.Data = true, page.Data[len(page.Data)-limit:]
	}
	if err == nil {
		err = failure
	}
	return page, err
}

// add puts an object on the page, as the API shows it.
func (p *list) add(doc any) error {
	object, err := shown(doc)
	if err == nil {
		p.Data = append(p.Data, object)
	}
	return err
}

// pageMarks refuses to page from an object that is not there.
func (c *call) pageMarks(bucket, after, before string) error {
	for param, id := range map[string]string{"starting_after": after, "ending_before": before} {
		if id == "" {
			continue
		}
		if _, err := load[json.RawMessage](c.tx, bucket, param, id); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) paging() (limit int, after, before string, err error) {
	limit = 10
	if text := c.form.Get("limit"); text != "" {
		n, parseErr := strconv.Atoi(text)
		if parseErr != nil || n < 1 || n > 100 {
			return 0, "", "", invalid("parameter_invalid_integer", "limit", "The limit must be a whole number from 1 to 100.")
		}
		limit = n
	}
	after, before = c.form.Get("starting_after"), c.form.Get("ending_before")
	if after != "" && before != "" {
		return 0, "", "", invalid("parameters_exclusive", "starting_after", "You may only specify one of these parameters: starting_after, ending_before.")
	}
	return limit, after, before, nil
}

// matches reports whether the filter parameter is absent or equal to the value.
func matches(c *call, param string, value *string) bool {
	wanted := c.form.Get(param)
	return wanted == "" || (value != nil && *value == wanted)
}

// lag hides the new object from reads when a lag fault is armed.
func (c *call) lag(operation, id, order string) error {
	fault, armed := c.sim.world.Faults.TakeCode("stripe", operation, []string{"lag"}, order, c.key)
	if !armed {
		return nil
	}
	return hide(c.tx, id, c.now.Add(time.Duration(fault.Seconds())*time.Second))
}
