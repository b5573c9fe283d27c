package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

const newTicket = `{"subject":"transaction","message":"Where is my coin?"}`

// asks opens a ticket and gives its id.
func (v *visitor) asks(body string, headers ...string) string {
	v.Helper()
	return v.post("/api/support/tickets", body, headers...).is(http.StatusCreated).text("id")
}

// A ticket goes both ways: a customer asks, staff answer, the customer is told
// by a mail that holds nothing of it, writes back, and either side ends it.
func TestTicketsGoBothWays(t *testing.T) {
	h := open(t)
	v, helper, reader := h.customer(), h.customer("support"), h.customer("finance")
	order := v.order("domestic_wire")
	id := v.asks(`{"subject":"transaction","message":"Where is my coin?","orderId":"` + order + `"}`)
	var detail AdminTicketDetail
	helper.get("/api/admin/support/tickets/" + id).is(http.StatusOK).read(&detail)
	require.Equal(t, order, detail.About.ID)
	require.Equal(t, []string{"reply", "take", "close"}, detail.Actions)
	reader.get("/api/admin/support/tickets/" + id).is(http.StatusOK).read(&detail)
	require.Empty(t, detail.Actions, "finance reads and does not answer")

	helper.post("/api/admin/support/tickets/"+id+"/take", "").is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/take", "").refused(http.StatusConflict, "ticket_state")
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"It is on its way. CANARY"}`).is(http.StatusOK)
	var mine TicketDetail
	v.get("/api/support/tickets/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, "in_progress", mine.Status)
	require.Equal(t, "customer", mine.Awaits)
	require.NotNil(t, mine.ClosesAt)
	require.Len(t, mine.Conversation, 2)
	require.Equal(t, "It is on its way. CANARY", mine.Conversation[1].Body)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'ticket_answered' AND user_id = $1`, v.userID))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'ticket_opened' AND user_id = $1`, helper.userID))
	for _, table := range []string{"matter_events", "audit_log", "mails", "idempotency_keys"} {
		require.Zero(t, one[int](h, `SELECT count(*) FROM `+table+` t WHERE to_jsonb(t)::text LIKE '%CANARY%'`), "%s holds what was written", table)
	}
	require.NotContains(t, h.log.String(), "CANARY")

	v.post("/api/support/tickets/"+id+"/messages", `{"message":"Thank you"}`).is(http.StatusOK).read(&mine)
	require.Equal(t, "staff", mine.Awaits)
	require.Nil(t, mine.ClosesAt)
	helper.post("/api/admin/support/tickets/"+id+"/close", "").is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"more"}`).refused(http.StatusConflict, "ticket_state")
	v.post("/api/support/tickets/"+id+"/messages", `{"message":"One more thing"}`).is(http.StatusOK).read(&mine)
	require.Equal(t, "open", mine.Status)
	v.post("/api/support/tickets/"+id+"/close", "").is(http.StatusOK).read(&mine)
	require.Equal(t, "closed", mine.Status)
	v.post("/api/support/tickets/"+id+"/close", "").refused(http.StatusConflict, "ticket_state")
	helper.post("/api/admin/support/tickets/"+id+"/reopen", "").is(http.StatusOK)
	require.Equal(t, 4, one[int](h, `SELECT count(*) FROM audit_log WHERE object_kind = 'ticket' AND object_id = $1`, id))

	var summary TicketsSummary
	helper.get("/api/admin/support/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, TicketsSummary{Total: 1, ByStatus: map[string]int{"open": 1, "in_progress": 0, "closed": 0}}, summary)
	var listed []Ticket
	v.get("/api/support/tickets").is(http.StatusOK).read(&listed)
	require.Equal(t, "Where is my coin?", listed[0].Message)
	require.Equal(t, 4, listed[0].Messages)
}

func TestTicketFormsSayWhatIsWrong(t *testing.T) {
	h := open(t)
	v, other := h.customer(), h.customer()
	order := v.order("domestic_wire")
	for body, field := range map[string]string{
		`{"message":"x"}`:                        "subject",
		`{"subject":"general"}`:                  "message",
		`{"subject":"general","message":" \n "}`: "message",
		`{}`:                                     "message",
	} {
		refused := v.post("/api/support/tickets", body).refused(http.StatusUnprocessableEntity, "required")
		require.Equal(t, "Please fill in all fields", refused.text("message"), body)
		require.Equal(t, field, refused.text("field"), body)
	}
	v.post("/api/support/tickets", `{"subject":"money","message":"x"}`).refused(http.StatusUnprocessableEntity, "unknown_subject")
	v.post("/api/support/tickets", `{"subject":"general","message":"`+strings.Repeat("é", models.MaxTicketMessage+1)+`"}`).refused(http.StatusUnprocessableEntity, "too_long")
	v.asks(`{"subject":"general","message":"` + strings.Repeat("é", models.MaxTicketMessage) + `"}`)
	for _, hidden := range []string{`{"subject":"general","message":"x","status":"closed"}`, `{"subject":"general","Subject":"kyc","message":"x"}`, `{"subject":"general","message":"x","userId":"` + other.userID + `"}`} {
		v.post("/api/support/tickets", hidden).is(http.StatusUnprocessableEntity)
	}
	other.post("/api/support/tickets", `{"subject":"general","message":"x","orderId":"`+order+`"}`).is(http.StatusNotFound)
	v.post("/api/support/tickets", `{"subject":"general","message":"x","giftCardId":"`+models.NewID()+`"}`).is(http.StatusNotFound)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM tickets`))
	h.visitor().post("/api/support/tickets", newTicket).is(http.StatusUnauthorized)
}

// Bar 38: what people write is text, whatever it looks like; what no screen can
// show is not kept.
func TestBar38HostileTicketsAreInert(t *testing.T) {
	h := open(t)
	v, helper := h.customer(), h.customer("support")
	const hostile = `<img src=x onerror=alert(1)> =cmd|' /C calc'!A0 \u0007\u001b {{.}} ');DROP TABLE tickets;--`
	id := v.asks(`{"subject":"general","message":"` + strings.ReplaceAll(hostile, `"`, `\"`) + `\r\nsecond line"}`)
	var detail AdminTicketDetail
	answer := helper.get("/api/admin/support/tickets/" + id).is(http.StatusOK)
	require.Contains(t, answer.header.Get("Content-Type"), "application/json")
	answer.read(&detail)
	require.Equal(t, strings.ReplaceAll(hostile, `\u0007\u001b`, "")+"\nsecond line", detail.Conversation[0].Body)
}

func TestBar05NobodyHandlesTheirOwnTicket(t *testing.T) {
	h := open(t)
	helper := h.customer("support")
	id := helper.asks(newTicket)
	for _, action := range []string{"take", "close", "reopen"} {
		helper.post("/api/admin/support/tickets/"+id+"/"+action, "").refused(http.StatusForbidden, "own_ticket")
	}
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"me"}`).refused(http.StatusForbidden, "own_ticket")
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log`))
	require.Zero(t, one[int](h, `SELECT count(*) FROM mails`), "and nobody is asked to")
}

func TestTicketIntentsAreAnsweredOnce(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RateScale = 1 })
	v, other := h.customer(), h.customer()
	var all sync.WaitGroup
	ids := make([]string, 5)
	for i := range ids {
		all.Go(func() { ids[i] = v.asks(newTicket, "Idempotency-Key", "intent-0001") })
	}
	all.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	v.post("/api/support/tickets", `{"subject":"kyc","message":"x"}`, "Idempotency-Key", "intent-0001").refused(http.StatusUnprocessableEntity, "key_reused")
	require.NotEqual(t, ids[0], other.asks(newTicket, "Idempotency-Key", "intent-0001"))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM tickets`))
	for i := 0; ; i++ {
		require.Less(t, i, rates[asking].Burst, "somebody who writes without end is slowed down")
		if limited := v.post("/api/support/tickets", fmt.Sprintf(`{"subject":"general","message":"%d"}`, i)); limited.status == http.StatusTooManyRequests {
			require.NotEmpty(t, limited.header.Get("Retry-After"))
			return
		}
	}
}

func TestSilentTicketsAreClosed(t *testing.T) {
	h := open(t)
	v, helper := h.customer(), h.customer("support")
	answered, waiting := v.asks(newTicket), v.asks(newTicket)
	helper.post("/api/admin/support/tickets/"+answered+"/reply", `{"message":"Done."}`).is(http.StatusOK)
	h.advance("13 days")
	require.NoError(t, h.db.CloseSilentTickets(t.Context(), 10))
	v.enter() // the session has run out
	require.Equal(t, "in_progress", v.get("/api/support/tickets/"+answered).text("status"))
	h.advance("25 hours")
	require.NoError(t, h.db.CloseSilentTickets(t.Context(), 10))
	v.enter()
	require.Equal(t, "closed", v.get("/api/support/tickets/"+answered).text("status"))
	require.Equal(t, "open", v.get("/api/support/tickets/"+waiting).text("status"))
}

// Two of the staff and the customer at one ticket at the same time: each step is
// taken once, and audited once.
func TestBar18ATicketIsTakenAndClosedOnce(t *testing.T) {
	h := open(t, unscaled)
	v, helpers := h.customer(), []*visitor{h.customer("support"), h.customer("admin")}
	id := v.asks(newTicket)
	press := func(button string) map[int]int {
		return atOnce(20, func(i int) *answer {
			return helpers[i%2].post("/api/admin/support/tickets/"+id+"/"+button, "")
		})
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, press("take"))
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 20}, atOnce(21, func(i int) *answer {
		if i == 20 {
			return v.post("/api/support/tickets/"+id+"/close", "")
		}
		return helpers[i%2].post("/api/admin/support/tickets/"+id+"/close", "")
	}))
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, press("reopen"))
	require.Equal(t, []string{"closed", "opened", "reopened", "taken"}, one[[]string](h, `SELECT array_agg(kind ORDER BY kind) FROM matter_events WHERE matter_id = $1`, id))
	require.Equal(t, map[int]int{http.StatusOK: 10}, atOnce(10, func(i int) *answer {
		if i%2 == 0 {
			return v.post("/api/support/tickets/"+id+"/messages", `{"message":"and this"}`)
		}
		return helpers[0].post("/api/admin/support/tickets/"+id+"/reply", `{"message":"yes"}`)
	}))
	require.Equal(t, 11, one[int](h, `SELECT count(*) FROM ticket_messages WHERE ticket_id = $1`, id))
	require.Equal(t, 5, one[int](h, `SELECT count(*) FROM mails WHERE user_id = $1 AND kind = 'ticket_answered'`, v.userID), "one for each answer")
}

// Bar 19: a message that is sent twice, because of a double click or an answer
// that was lost, is one message and one mail, from either side.
func TestBar19AMessageInATicketIsWrittenOnce(t *testing.T) {
	h := open(t, unscaled)
	v, other, helper := h.customer(), h.customer(), h.customer("support")
	id, second := v.asks(newTicket), v.asks(newTicket)
	const key = "message-0001"
	for _, side := range []struct {
		from         *visitor
		path, author string
	}{
		{v, "/api/support/tickets/%s/messages", models.TicketCustomer},
		{helper, "/api/admin/support/tickets/%s/reply", models.TicketStaff},
	} {
		send := func(id, message, key string) *answer {
			return side.from.post(fmt.Sprintf(side.path, id), `{"message":"`+message+`"}`, "Idempotency-Key", key)
		}
		written := func() int {
			return one[int](h, `SELECT count(*) FROM ticket_messages WHERE ticket_id = $1 AND author = $2 AND body = 'twice'`, id, side.author)
		}
		require.Equal(t, map[int]int{http.StatusOK: 10}, atOnce(10, func(int) *answer { return send(id, "twice", key) }))
		require.Equal(t, 1, written(), side.author)
		send(id, "another", key).refused(http.StatusUnprocessableEntity, "key_reused")
		send(second, "twice", key).refused(http.StatusUnprocessableEntity, "key_reused")
		send(id, "twice", "short").is(http.StatusUnprocessableEntity)
		send(id, "twice", "message-0002").is(http.StatusOK)
		require.Equal(t, 2, written(), "written again on purpose")
	}
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'ticket_answered' AND user_id = $1`, v.userID))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'ticket.reply'`))
	other.post("/api/support/tickets/"+id+"/messages", `{"message":"twice"}`, "Idempotency-Key", key).is(http.StatusNotFound)
	helper.post("/api/admin/support/tickets/"+id+"/close", "").is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"twice"}`, "Idempotency-Key", key).is(http.StatusOK)
	require.Equal(t, "closed", v.get("/api/support/tickets/"+id).text("status"), "a late repeat changes nothing")
}
