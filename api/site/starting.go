package site

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"
)

// starting is what the launcher of a local stack writes while it still builds
// parts that a page does without: Temporal, and the workers.
type starting struct {
	Parts   []string `json:"parts"`
	Seconds int      `json:"seconds"`
}

// startingWords are the notice's texts, by language.
var startingWords = map[string]struct {
	parts                     map[string]string
	and, notice, soon, minute string
	minutes                   string // with their number
}{
	"en": {
		parts: map[string]string{"temporal": "the workflow server", "workers": "the workers"}, and: " and ",
		notice: "This computer is still building %s. Ready in %s. You can place orders now: they continue when it is ready.",
		soon:   "less than a minute", minute: "about a minute", minutes: "about %d minutes",
	},
	"es": {
		parts: map[string]string{"temporal": "el servidor de flujos de trabajo", "workers": "los procesos de trabajo"}, and: " y ",
		notice: "Este equipo todavía está preparando %s. Estará listo en %s. Ya puedes hacer pedidos: seguirán adelante entonces.",
		soon:   "menos de un minuto", minute: "alrededor de un minuto", minutes: "unos %d minutos",
	},
}

// startingScript reloads the page until it has no notice. Nothing else of the page is
// touched.
const startingScript = `{
  const ask = async () => {
    const mine = document.getElementById('starting')
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
      const theirs = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('starting')
      if (!theirs) return mine.remove()
      if (mine.textContent !== theirs.textContent) mine.textContent = theirs.textContent
    } catch {}
    setTimeout(ask, 5000)
  }
  setTimeout(ask, 5000)
}`

// withStarting puts a notice above a page while the launcher still builds. Where
// the file is not named, not there or not readable, the page stays as it is.
func (h *Handlers) withStarting(page []byte, language, nonce string) []byte {
	if h.StartingFile == "" {
		return page
	}
	raw, err := os.ReadFile(h.StartingFile)
	if err != nil {
		return page
	}
	var now starting
	if json.Unmarshal(raw, &now) != nil || len(now.Parts) == 0 {
		return page
	}
	notice := fmt.Sprintf(`<p id="starting" role="status" style="margin:0;padding:.5rem 1rem;text-align:center;font:14px/1.5 system-ui,sans-serif;background:#fff3cd;color:#4d3800">%s</p><script nonce="%s">%s</script>`,
		html.EscapeString(now.sentence(language)), nonce, startingScript)
	return []byte(strings.Replace(string(page), `<div id="root">`, notice+`<div id="root">`, 1))
}

func (n starting) sentence(language string) string {
	words := startingWords[language]
	var parts []string
	for _, part := range n.Parts {
		if name := words.parts[part]; name != "" {
			parts = append(parts, name)
		}
	}
	left := words.soon
	if minutes := (n.Seconds + 30) / 60; minutes == 1 {
		left = words.minute
	} else if minutes > 1 {
		left = fmt.Sprintf(words.minutes, minutes)
	}
	return fmt.Sprintf(words.notice, strings.Join(parts, words.and), left)
}
