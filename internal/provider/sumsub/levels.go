package sumsub

import (
	"context"
	"net/http"
)

// Levels names the verification levels that are set up.
func (c *Client) Levels(ctx context.Context) ([]string, error) {
	var answer struct {
		List struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
		} `json:"list"`
	}
	if err := c.call(ctx, "levels", http.MethodGet, "/resources/applicants/-/levels", nil, &answer); err != nil {
		return nil, err
	}
	var names []string
	for _, level := range answer.List.Items {
		names = append(names, level.Name)
	}
	return names, nil
}
