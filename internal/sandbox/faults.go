package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Fault is an armed failure that waits for a matching request.
//
// Provider is required. Operation "" or "*" means any; each simulator documents
// its operation names, and webhooks have operation "webhook" or their event
// type. Match is a substring of one of the request's subjects (order id, amount
// marker); empty matches all. Code is one of providers §9; what follows
// a colon ("slow:5", "decline:lost_card", "http:500_after") is Arg. Count is
// how often it strikes: 0 means once, negative means until cleared.
type Fault struct {
	ID        string `json:"id"`
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Match     string `json:"match"`
	Code      string `json:"code"`
	Arg       string `json:"arg"`
	Count     int    `json:"count"`
}

// guardCodes are applied by Guard, hookCodes by Hooks; every other code is the simulator's
// own and returned by Take.
var (
	guardCodes = []string{"drop_before", "drop_after", "slow", "http", "429", "hold_before", "hold_after"}
	hookCodes  = []string{"dup_hook", "late_hook", "reorder_hook", "lost_hook", "bad_sig_hook"}
)

// Faults holds the armed faults, oldest first. They are kept in a file beside
// the store, because they are used up inside its transactions.
type Faults struct {
	mu      sync.Mutex
	file    string
	armed   []*Fault
	struck  []Fault
	holding []Fault
	next    int
	gates   map[string]chan struct{} // closed when a hold is released
}

// kept is what the file holds.
type kept struct {
	Next  int      `json:"next"`
	Armed []*Fault `json:"armed"`
}

// openFaults reads the faults that were armed when the simulators ended.
func openFaults(folder string) (*Faults, error) {
	f := &Faults{file: filepath.Join(folder, "faults.json"), gates: map[string]chan struct{}{}}
	raw, err := os.ReadFile(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	if err != nil {
		return nil, fmt.Errorf("armed faults: %w", err)
	}
	f.next, f.armed = k.Next, k.Armed
	for _, fault := range f.armed {
		f.addGate(fault)
	}
	return f, nil
}

// save writes the armed faults; a kill leaves the file as it was or as it is
// now.
func (f *Faults) save() error {
	raw, err := json.Marshal(kept{Next: f.next, Armed: f.armed})
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.file+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(f.file+".new", f.file)
}

func (f *Faults) addGate(fault *Fault) {
	if strings.HasPrefix(fault.Code, "hold_") {
		f.gates[fault.ID] = make(chan struct{})
	}
}

// Arm adds a fault and answers it with its id. It refuses one without provider
// or code, and arguments that do not parse.
func (f *Faults) Arm(fault Fault) (Fault, error) {
	if code, arg, found := strings.Cut(fault.Code, ":"); found && fault.Arg == "" {
		fault.Code, fault.Arg = code, arg
	}
	if fault.Provider == "" || fault.Code == "" {
		return Fault{}, fmt.Errorf("a fault needs a provider and a code")
	}
	if err := checkArg(fault); err != nil {
		return Fault{}, err
	}
	if fault.Count == 0 {
		fault.Count = 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	fault.ID = "fault_" + strconv.Itoa(f.next)
	f.armed = append(f.armed, &fault)
	f.addGate(&fault)
	return fault, f.save()
}

func checkArg(fault Fault) error {
	switch fault.Code {
	case "slow", "lag":
		if _, err := strconv.ParseUint(fault.Arg, 10, 16); err != nil {
			return fmt.Errorf("%s needs whole seconds, such as %s:5", fault.Code, fault.Code)
		}
	case "http":
		if _, _, err := httpFault(fault.Arg); err != nil {
			return err
		}
	}
	return nil
}

// httpFault reads "500_after" or "503_before".
func httpFault(arg string) (status int, after bool, err error) {
	code, when, _ := strings.Cut(arg, "_")
	status, err = strconv.Atoi(code)
	if err != nil || status < 400 || status > 599 || (when != "before" && when != "after") {
		return 0, false, fmt.Errorf("http needs a status and a moment, such as http:500_after")
	}
	return status, when == "after", nil
}

// HTTPFault reads the argument of an "http" fault: the status to answer, and
// whether the effect happens first.
func (fault Fault) HTTPFault() (status int, after bool) {
	status, after, _ = httpFault(fault.Arg)
	return status, after
}

// Seconds is the argument of "slow" and "lag"; 0 when it is not a number.
func (fault Fault) Seconds() int {
	n, _ := strconv.Atoi(fault.Arg)
	return n
}

// Take consumes one strike of the first armed fault that matches, leaving out those that
// Guard and Hooks apply themselves.
func (f *Faults) Take(provider, operation string, subjects ...string) (Fault, bool) {
	return f.take(provider, []string{operation}, subjects, func(code string) bool {
		return !slices.Contains(guardCodes, code) && !slices.Contains(hookCodes, code)
	})
}

// TakeCode is Take for the named codes only, of whatever kind.
func (f *Faults) TakeCode(provider, operation string, codes []string, subjects ...string) (Fault, bool) {
	return f.take(provider, []string{operation}, subjects, func(code string) bool { return slices.Contains(codes, code) })
}

func (f *Faults) take(provider string, operations, subjects []string, wanted func(code string) bool) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.armed {
		if fault.Provider != provider || !wanted(fault.Code) || !fault.concerns(operations, subjects) {
			continue
		}
		f.struck = append(f.struck, *fault)
		return f.use(i), true
	}
	return Fault{}, false
}

// use removes one strike from an armed fault. A strike that cannot be saved happens all the
// same.
func (f *Faults) use(i int) Fault {
	match := *f.armed[i]
	if match.Count < 0 {
		return match
	}
	if f.armed[i].Count--; f.armed[i].Count == 0 {
		f.armed = slices.Delete(f.armed, i, i+1)
	}
	_ = f.save()
	return match
}

func (fault *Fault) concerns(operations, subjects []string) bool {
	if fault.Operation != "" && fault.Operation != "*" && !slices.Contains(operations, fault.Operation) {
		return false
	}
	return fault.Match == "" || slices.ContainsFunc(subjects, func(s string) bool { return strings.Contains(s, fault.Match) })
}

// List answers the armed faults, and those that struck, oldest first.
func (f *Faults) List() (armed, struck []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	armed = make([]Fault, 0, len(f.armed))
	for _, fault := range f.armed {
		armed = append(armed, *fault)
	}
	return armed, append([]Fault{}, f.struck...)
}

// Clear disarms the fault with the id, or all when it is empty, and releases
// the requests it holds.
func (f *Faults) Clear(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = slices.DeleteFunc(f.armed, func(fault *Fault) bool { return id == "" || fault.ID == id })
	f.release(id)
	return f.save()
}
