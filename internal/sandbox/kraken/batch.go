package kraken

import (
	"errors"
	"fmt"
	"strings"
)

// A batch is of two to fifteen orders.
const (
	smallestBatch = 2
	largestBatch  = 15
)

// addOrderBatch is AddOrderBatch, of one pair: an order that is not well-formed
// refuses them all, while one that the engine refuses stays out alone.
func (s *Simulator) addOrderBatch(c *call) (any, error) {
	batch := c.batch()
	if len(batch) < smallestBatch || len(batch) > largestBatch {
		return nil, refusal(wrong("orders"))
	}
	for _, fields := range batch {
		if _, _, problem := parseOrder(fields, c.who, c.now); problem != "" {
			return nil, refusal(problem)
		}
	}
	rows := []map[string]any{}
	for _, fields := range batch {
		row, err := s.addOne(c, fields)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return map[string]any{"orders": rows}, nil
}

// addOne places one order of a batch and answers its row.
func (s *Simulator) addOne(c *call, fields params) (map[string]any, error) {
	one := *c
	one.fields = fields
	result, err := s.addOrder(&one)
	var refused refusal
	switch {
	case errors.As(err, &refused):
		return map[string]any{"error": string(refused)}, nil
	case err != nil:
		return nil, err
	}
	placed := result.(map[string]any)
	row := map[string]any{"descr": placed["descr"]}
	if ids, made := placed["txid"].([]string); made {
		row["txid"] = ids[0]
	}
	return row, nil
}

// batch are the fields of each order: its own, and what holds for all of them.
func (c *call) batch() []params {
	list := []params{}
	for {
		own := fmt.Sprintf("orders[%d][", len(list))
		fields := params{}
		for name, value := range c.fields {
			if rest, found := strings.CutPrefix(name, own); found {
				fields[strings.Replace(rest, "]", "", 1)] = value
			}
		}
		if len(fields) == 0 || len(list) > largestBatch {
			return list
		}
		for _, name := range []string{"pair", "deadline", "validate"} {
			fields[name] = c.fields[name]
		}
		list = append(list, fields)
	}
}
