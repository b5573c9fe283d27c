package sandbox

// Panel is a section of the control page: a table and what can be done.
type Panel struct {
	Title   string
	Note    string // one plain sentence under the title; may be empty
	Columns []string
	Rows    func() []Row
	Actions []Action // for the whole panel
}

// Row is a line of a panel's table; Actions are at its end.
type Row struct {
	Cells   []string
	Actions []Action
}

// Action is a form that POSTs its fields to a path of the simulator; the
// handler answers with World.Done.
type Action struct {
	Label  string
	Path   string
	Fields []Field
	Danger bool
}

// Field is one input. A field with Options is a choice; one without Label is
// sent as it is and not shown.
type Field struct {
	Name, Label, Value string
	Options            []string
}
