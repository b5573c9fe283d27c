package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	supportapi "github.com/tradepost/tradepost/api/support"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

const because = `{"reason":"asked twice"}`

const newTicket = `{"subject":"transaction","message":"Where is my coin?"}`

// asks opens a ticket and gives its id.
func (v *visitor) asks(body string, headers ...string) string {
	v.Helper()
	return v.post("/api/support/tickets", body, headers...).is(http.StatusCreated).text("id")
}

// A ticket goes both ways: a customer asks, staff answer, the customer is notified by a
// mail without its content, writes back, and either side ends it.
func TestTicketsGoBothWays(t *testing.T) {
	h := open(t)
	v, helper, reader := h.customer(), h.customer("support"), h.customer("finance")
	order := v.order("domestic_wire")
	id := v.asks(`{"subject":"transaction","message":"Where is my coin?","orderId":"` + order + `"}`)
	var detail supportapi.AdminTicketDetail
	helper.get("/api/admin/support/tickets/" + id).is(http.StatusOK).read(&detail)
	require.Equal(t, order, detail.About.ID)
	require.Equal(t, []string{"reply", "take", "assign", "close"}, detail.Actions)
	reader.get("/api/admin/support/tickets/" + id).is(http.StatusOK).read(&detail)
	require.Empty(t, detail.Actions, "finance reads and does not answer")

	helper.post("/api/admin/support/tickets/"+id+"/take", "").is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/take", "").refused(http.StatusConflict, "ticket_taken")
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"It is on its way. CANARY"}`).is(http.StatusOK)
	var mine supportapi.TicketDetail
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
	helper.post("/api/admin/support/tickets/"+id+"/close", because).is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"more"}`).refused(http.StatusConflict, "ticket_state")
	v.post("/api/support/tickets/"+id+"/messages", `{"message":"One more thing"}`).is(http.StatusOK).read(&mine)
	require.Equal(t, "open", mine.Status)
	v.post("/api/support/tickets/"+id+"/close", "").is(http.StatusOK).read(&mine)
	require.Equal(t, "closed", mine.Status)
	v.post("/api/support/tickets/"+id+"/close", "").refused(http.StatusConflict, "ticket_state")
	helper.post("/api/admin/support/tickets/"+id+"/reopen", "").is(http.StatusOK)
	require.Equal(t, 4, one[int](h, `SELECT count(*) FROM audit_log WHERE object_kind = 'ticket' AND object_id = $1`, id))

	var summary supportapi.TicketsSummary
	helper.get("/api/admin/support/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, 1, summary.Total)
	require.Equal(t, map[string]int{"open": 1, "in_progress": 0, "closed": 0}, summary.ByStatus)
	require.Equal(t, map[string]int{"all": 1, "mine": 1, "nobody": 0}, summary.ByDesk, "whoever took it still has it")
	var listed []supportapi.Ticket
	v.get("/api/support/tickets").is(http.StatusOK).read(&listed)
	require.Equal(t, "Where is my coin?", listed[0].Message)
	require.Equal(t, 4, listed[0].Messages)
}

func TestANewTicketAnswersItsMessage(t *testing.T) {
	v := open(t).customer()
	require.Equal(t, "Hello from general", v.post("/api/support/tickets", `{"subject":"general","message":"Hello from general"}`).is(http.StatusCreated).text("message"))
}

func TestTicketFormsSayWhatIsWrong(t *testing.T) {
	h := open(t)
	v, other := h.customer(), h.customer()
	order := v.order("domestic_wire")
	for body, field := range map[string]string{
		`{"message":"x"}`:                        "subject",
		`{"subject":"general"}`:                  "message",
		`{"subject":"general","message":" \n "}`: "message",
		`{}`:                                     "subject message",
	} {
		refused := v.post("/api/support/tickets", body).refused(http.StatusUnprocessableEntity, "required")
		require.Equal(t, "Please fill in all fields", refused.text("message"), body)
		require.Equal(t, field, refused.fields(), body)
	}
	v.post("/api/support/tickets", `{"subject":"money","message":"x"}`).refused(http.StatusUnprocessableEntity, "unknown_subject")
	v.post("/api/support/tickets", `{"subject":"general","message":"`+strings.Repeat("é", support.MaxTicketMessage+1)+`"}`).refused(http.StatusUnprocessableEntity, "too_long")
	v.asks(`{"subject":"general","message":"` + strings.Repeat("e\u0301", support.MaxTicketMessage) + `"}`) // composed
	for _, hidden := range []string{`{"subject":"general","message":"x","status":"closed"}`, `{"subject":"general","Subject":"kyc","message":"x"}`, `{"subject":"general","message":"x","userId":"` + other.userID + `"}`} {
		v.post("/api/support/tickets", hidden).is(http.StatusUnprocessableEntity)
	}
	other.post("/api/support/tickets", `{"subject":"general","message":"x","orderId":"`+order+`"}`).is(http.StatusNotFound)
	v.post("/api/support/tickets", `{"subject":"general","message":"x","giftCardId":"`+store.NewID()+`"}`).is(http.StatusNotFound)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM tickets`))
	h.visitor().post("/api/support/tickets", newTicket).is(http.StatusUnauthorized)
}

// Bar 38: what people write is text, whatever its form; what no screen can show is not
// kept.
func TestBar38HostileTicketsAreInert(t *testing.T) {
	h := open(t)
	v, helper := h.customer(), h.customer("support")
	const hostile = `<img src=x onerror=alert(1)> =cmd|' /C calc'!A0 \u0007\u001b {{.}} ');DROP TABLE tickets;--`
	id := v.asks(`{"subject":"general","message":"` + strings.ReplaceAll(hostile, `"`, `\"`) + `\r\nsecond line"}`)
	var detail supportapi.AdminTicketDetail
	answer := helper.get("/api/admin/support/tickets/" + id).is(http.StatusOK)
	require.Contains(t, answer.header.Get("Content-Type"), "application/json")
	answer.read(&detail)
	require.Equal(t, strings.ReplaceAll(hostile, `\u0007\u001b`, "")+"\nsecond line", detail.Conversation[0].Body)
}

func TestBar05NoOneHandlesTheirOwnTicket(t *testing.T) {
	h := open(t)
	helper := h.customer("support")
	id := helper.asks(newTicket)
	for action, body := range map[string]string{"take": "", "close": because, "reopen": "", "assign": `{"assigneeId":"","from":""}`, "notes": `{"body":"mine"}`} {
		helper.post("/api/admin/support/tickets/"+id+"/"+action, body).refused(http.StatusForbidden, "own_ticket")
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
		require.Less(t, i, rest.Rates[rest.Asking].Burst, "somebody who writes without end is slowed down")
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
	require.NoError(t, support.CloseSilentTickets(t.Context(), h.db, 10))
	v.enter() // the session has run out
	require.Equal(t, "in_progress", v.get("/api/support/tickets/"+answered).text("status"))
	h.advance("25 hours")
	require.NoError(t, support.CloseSilentTickets(t.Context(), h.db, 10))
	v.enter()
	require.Equal(t, "closed", v.get("/api/support/tickets/"+answered).text("status"))
	require.Equal(t, "open", v.get("/api/support/tickets/"+waiting).text("status"))
}

// Two of the staff and the customer at one ticket at the same time: each step is executed
// once, and audited once.
func TestBar18ATicketIsAssignedAndClosedOnce(t *testing.T) {
	h := open(t, unscaled)
	v, helpers := h.customer(), []*visitor{h.customer("support"), h.customer("admin")}
	id := v.asks(newTicket)
	press := func(button string) map[int]int {
		return atOnce(20, func(i int) *answer {
			return helpers[i%2].post("/api/admin/support/tickets/"+id+"/"+button, "")
		})
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, press("take"))
	has := one[string](h, `SELECT assignee_id::text FROM tickets WHERE id = $1`, id)
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, atOnce(20, func(i int) *answer { // two reassign it, each to the other or to none
		to := map[bool]string{true: "", false: map[string]string{helpers[0].userID: helpers[1].userID, helpers[1].userID: helpers[0].userID}[has]}[i%4 < 2]
		return helpers[i%2].post("/api/admin/support/tickets/"+id+"/assign", `{"assigneeId":"`+to+`","from":"`+has+`"}`)
	}))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1 AND before->>'assignee' IS DISTINCT FROM after->>'assignee'`, id))
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 20}, atOnce(21, func(i int) *answer {
		if i == 20 {
			return v.post("/api/support/tickets/"+id+"/close", "")
		}
		return helpers[i%2].post("/api/admin/support/tickets/"+id+"/close", because)
	}))
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, press("reopen"))
	require.Equal(t, []string{"assigned", "closed", "opened", "reopened", "taken"}, one[[]string](h, `SELECT array_agg(kind ORDER BY kind) FROM matter_events WHERE matter_id = $1`, id))
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
		{v, "/api/support/tickets/%s/messages", support.TicketCustomer},
		{helper, "/api/admin/support/tickets/%s/reply", support.TicketStaff},
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
	helper.post("/api/admin/support/tickets/"+id+"/close", because).is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"twice"}`, "Idempotency-Key", key).is(http.StatusOK)
	require.Equal(t, "closed", v.get("/api/support/tickets/"+id).text("status"), "a late repeat changes nothing")
}

// inbox reads the inbox's references, in its order.
func (v *visitor) inbox(query string) (references []string) {
	v.Helper()
	var rows []supportapi.AdminTicket
	v.get("/api/admin/support/tickets?" + query).is(http.StatusOK).read(&rows)
	for _, row := range rows {
		references = append(references, row.ID)
	}
	return references
}

// Whoever answers an unassigned ticket is assigned to it; others see who; it can be
// assigned to all who may answer, and to none; and its history records who and when.
func TestATicketHasAnOwner(t *testing.T) {
	h := open(t, unscaled)
	v, helper, colleague, reader := h.customer(), h.customer("support"), h.customer("admin"), h.customer("finance")
	first, second := v.asks(newTicket), v.asks(`{"subject":"kyc","message":"When?"}`)
	path := "/api/admin/support/tickets/" + first
	give := func(who *visitor, to, from string) *answer {
		return who.post(path+"/assign", `{"assigneeId":"`+to+`","from":"`+from+`"}`)
	}
	require.Equal(t, []string{first, second}, helper.inbox("desk=nobody&status=open"), "the longest wait first")

	var detail supportapi.AdminTicketDetail
	helper.post(path+"/reply", `{"message":"We look."}`).is(http.StatusOK).read(&detail)
	require.True(t, detail.Assignee.Mine)
	require.Nil(t, detail.WaitsSince)
	require.Equal(t, []string{first}, helper.inbox("desk=mine"))
	require.Equal(t, []string{second}, helper.inbox("desk=nobody"))
	require.Contains(t, colleague.post(path+"/take", "").refused(http.StatusConflict, "ticket_taken").text("message"), detail.Assignee.Name)
	give(colleague, colleague.userID, "").refused(http.StatusConflict, "ticket_taken")
	for _, to := range []string{v.userID, reader.userID, store.NewID(), "me"} {
		give(helper, to, helper.userID).is(http.StatusUnprocessableEntity)
	}
	give(reader, reader.userID, helper.userID).is(http.StatusForbidden)
	give(colleague, colleague.userID, helper.userID).is(http.StatusOK)
	give(colleague, "", colleague.userID).is(http.StatusOK).read(&detail)
	require.Nil(t, detail.Assignee)
	give(colleague, "", "").refused(http.StatusUnprocessableEntity, "same")
	helper.post(path+"/take", "").is(http.StatusOK)
	helper.post(path+"/reply", `{"message":"Done.","close":true}`).is(http.StatusOK).read(&detail)
	require.Equal(t, "closed", detail.Status)
	require.Nil(t, detail.ClosesAt)
	v.post("/api/support/tickets/"+first+"/messages", `{"message":"Not quite"}`).is(http.StatusOK)
	colleague.get(path).is(http.StatusOK).read(&detail)
	require.Equal(t, "open", detail.Status)
	require.False(t, detail.Assignee.Mine)
	require.Equal(t, detail.Assignee.ID, helper.userID, "it goes on with who had it")
	var steps []string
	for _, step := range detail.History {
		steps = append(steps, step.By+" "+step.Kind)
		require.Equal(t, step.By == "staff", step.Name != "")
	}
	require.Equal(t, []string{"customer opened", "staff reply", "staff assign", "staff assign", "staff take", "staff reply_close"}, steps)
	require.Equal(t, detail.Assignee.Name, *detail.History[1].To)
	require.Nil(t, detail.History[3].To, "to nobody")

	reader.get("/api/admin/support/answerers").is(http.StatusForbidden)
	var answerers []supportapi.Answerer
	helper.get("/api/admin/support/answerers").is(http.StatusOK).read(&answerers)
	require.Len(t, answerers, 2)
	for _, a := range answerers {
		require.Equal(t, map[bool]int{true: 1, false: 0}[a.Mine], a.Tickets)
	}
	h.exec(`DELETE FROM user_roles WHERE user_id = $1`, helper.userID)
	helper.exec(`UPDATE tickets SET status = 'closed', closed_at = now(), waits_since = NULL WHERE id = $1`, first)
	v.post("/api/support/tickets/"+first+"/messages", `{"message":"And now?"}`).is(http.StatusOK)
	require.Contains(t, colleague.inbox("desk=nobody&status=open"), first, "nobody's, as who had it answers no more")
}

// Every filter of the inbox shows its tickets and counts what it shows, and a customer who
// writes again keeps their place.
func TestTheInboxCountsWhatItShows(t *testing.T) {
	h := open(t, unscaled)
	v, helper := h.customer(), h.customer("support")
	other := h.customer()
	h.exec(`UPDATE users SET first_name = 'Zoe', last_name = 'Quill', email = 'zoe.quill@example.com' WHERE id = $1`, other.userID)
	early, late, about := v.asks(newTicket), other.asks(`{"subject":"kyc","message":"When?"}`), other.asks(`{"subject":"voucher","message":"It says redeemed"}`)
	v.post("/api/support/tickets/"+early+"/messages", `{"message":"Hello?"}`).is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+about+"/take", "").is(http.StatusOK)
	require.Equal(t, []string{early, late}, helper.inbox("status=open"))
	require.Equal(t, []string{about, late}, helper.inbox("q=quill"))
	require.Equal(t, []string{about}, helper.inbox("q=ZOE.quill@&desk=mine"))
	require.Equal(t, []string{late}, helper.inbox("subject=kyc"))
	require.Equal(t, []string{late}, helper.inbox("q="+strings.ToLower(one[string](h, `SELECT reference FROM tickets WHERE id = $1`, late))))
	for _, status := range []string{"all", "open", "in_progress", "closed"} {
		for _, assignee := range []string{"all", "mine", "nobody"} {
			for _, subject := range append([]string{"all"}, support.TicketSubjects...) {
				for _, q := range []string{"", "quill", "nothing at all"} {
					query := "status=" + status + "&desk=" + assignee + "&subject=" + subject + "&q=" + strings.ReplaceAll(q, " ", "+")
					shown := len(helper.inbox(query))
					var summary supportapi.TicketsSummary
					helper.get("/api/admin/support/summary?" + query).is(http.StatusOK).read(&summary)
					require.Equal(t, shown, summary.ByDesk[assignee], query)
					require.Equal(t, shown, summary.BySubject[subject], query)
					byStatus := summary.Total
					if status != "all" {
						byStatus = summary.ByStatus[status]
					}
					require.Equal(t, shown, byStatus, query)
				}
			}
		}
	}
	for _, query := range []string{"status=done", "desk=theirs", "subject=money", "cursor=x", "q=" + strings.Repeat("x", 101)} {
		helper.get("/api/admin/support/tickets?" + query).is(http.StatusUnprocessableEntity)
	}
}

// What staff note, why they close a ticket and who has it stay among them.
func TestNotesOnTicketsStayAmongStaff(t *testing.T) {
	h := open(t, unscaled)
	v, helper, reader := h.customer(), h.customer("support"), h.customer("finance")
	h.exec(`UPDATE users SET email = 'canary-colleague@example.com', first_name = 'Hal' WHERE id = $1`, helper.userID)
	order := v.order("domestic_wire")
	id := v.asks(`{"subject":"transaction","message":"Where is my coin?","orderId":"` + order + `"}`)
	v.order("domestic_wire")
	path := "/api/admin/support/tickets/" + id
	mails := one[int](h, `SELECT count(*) FROM mails`)
	for _, body := range []string{`{"body":""}`, `{"body":" \n "}`, `{}`} {
		helper.post(path+"/notes", body).is(http.StatusUnprocessableEntity)
	}
	helper.post(path+"/notes", `{"body":"CANARY-NOTE he has two accounts"}`).is(http.StatusOK)
	reader.post(path+"/notes", `{"body":"the wire came today"}`).is(http.StatusOK)
	require.Equal(t, mails, one[int](h, `SELECT count(*) FROM mails`), "nobody is told by mail")
	v.post(path+"/notes", `{"body":"me too"}`).is(http.StatusForbidden)
	helper.post(path+"/reply", `{"message":"It is on its way."}`).is(http.StatusOK)
	helper.post(path+"/close", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	helper.post(path+"/close", `{"reason":"CANARY-REASON"}`).is(http.StatusOK)

	var detail supportapi.AdminTicketDetail
	reader.get(path).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Notes, 2)
	require.Equal(t, "CANARY-NOTE he has two accounts", detail.Notes[0].Body)
	require.Equal(t, "CANARY-REASON", detail.History[len(detail.History)-1].Reason)
	require.Len(t, detail.Customer.Orders, 2)
	require.Equal(t, order, detail.Customer.Orders[0].ID, "what it is about first")
	require.True(t, detail.Customer.Orders[0].About)
	for _, seen := range []string{"/api/support/tickets", "/api/support/tickets/" + id} {
		answer := string(v.get(seen).is(http.StatusOK).body)
		for _, secret := range []string{"CANARY", "canary", helper.userID, "assignee"} {
			require.NotContains(t, answer, secret, seen)
		}
	}
	files, err := privacy.DataOf(t.Context(), h.db, v.userID)
	require.NoError(t, err)
	for name, file := range files {
		require.NotContains(t, strings.ToLower(string(file)), "canary", name)
	}

	// A member of staff who opens a ticket reads it as a customer.
	own := helper.asks(newTicket)
	reader.post("/api/admin/support/tickets/"+own+"/notes", `{"body":"CANARY about a colleague"}`).is(http.StatusOK)
	helper.get("/api/admin/support/tickets/" + own).is(http.StatusOK).read(&detail)
	require.Empty(t, detail.Notes)
	require.Empty(t, detail.History)
	require.False(t, detail.MayNote)
}
