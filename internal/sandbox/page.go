package sandbox

import (
	"bytes"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

var pageTemplate = template.Must(template.ParseFS(assets, "assets/control.html"))

// providerPanels is one provider's column of the control page.
type providerPanels struct {
	Name   string // as faults name it
	Title  string // as people do
	Panels []Panel
}

// titles are the names that capitalising does not make.
var titles = map[string]string{"bitgo": "BitGo"}

// page renders the control page.
func (c *control) page(rw http.ResponseWriter, r *http.Request) {
	effects, err := c.world.Effects.List("")
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	hooks, err := c.world.Hooks.List(50)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	armed, struck := c.world.Faults.List()
	operations, codes := c.names()
	data := map[string]any{
		"Done": r.FormValue("done"), "Problem": r.FormValue("problem"),
		"Now": c.world.Clock.Now().Format("Mon 2 Jan 2006, 15:04:05 UTC"), "Offset": c.world.Clock.Offset().String(),
		"Armed": armed, "Holding": c.world.Faults.Holding(), "Struck": len(struck), "Codes": codes, "Operations": operations,
		"Jumps":     clockJumps,
		"Providers": c.providers(), "General": []Panel{effectsPanel(effects), hooksPanel(hooks)},
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, data); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	PageSecurity(rw)
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(out.Bytes())
}

func (c *control) providers() []providerPanels {
	list := make([]providerPanels, 0, len(c.simulators))
	for _, s := range c.simulators {
		name := s.Name()
		title, special := titles[name]
		if !special {
			title = strings.ToUpper(name[:1]) + name[1:]
		}
		list = append(list, providerPanels{Name: name, Title: title, Panels: s.Control()})
	}
	return list
}

// clockJumps are the deadlines people most often wait for.
var clockJumps = []Field{
	{Label: "31 minutes", Value: "31m"}, {Label: "1 day", Value: "24h"}, {Label: "7 days", Value: "168h"}, {Label: "30 days", Value: "720h"},
}

func effectsPanel(effects []Effect) Panel {
	return Panel{
		Title: "Effects", Note: "What happened for each order. Tests expect one of each.",
		Columns: []string{"Provider", "Operation", "Order", "Count"},
		Rows: func() []Row {
			rows := make([]Row, 0, len(effects))
			for _, e := range effects {
				rows = append(rows, Row{Cells: []string{e.Provider, e.Operation, e.Subject, strconv.Itoa(e.Count)}})
			}
			return rows
		},
	}
}

func hooksPanel(hooks []Delivery) Panel {
	return Panel{
		Title: "Webhooks", Note: "The latest 50. Unanswered webhooks are sent again after growing delays.",
		Columns: []string{"Created", "Provider", "Type", "About", "Status", "Attempts", "Answer"},
		Rows: func() []Row {
			rows := make([]Row, 0, len(hooks))
			for _, d := range hooks {
				answer := d.Error
				if answer == "" && d.Answer > 0 {
					answer = strconv.Itoa(d.Answer)
				}
				row := Row{Cells: []string{d.CreatedAt.Format("15:04:05"), d.Hook.Provider, d.Hook.Type, d.Hook.Subject, d.Status, strconv.Itoa(d.Attempts), answer}}
				if d.Status != "queued" {
					row.Actions = []Action{{Label: "Send again", Path: "/control/hooks/" + d.ID + "/again"}}
				}
				rows = append(rows, row)
			}
			return rows
		},
	}
}
