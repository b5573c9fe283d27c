// The page that @sumsub/websdk frames. It talks to the page around it by
// postMessage, in the protocol of version 2.9.0, and to the simulator by fetch.
"use strict";

const frameId = new URLSearchParams(location.search).get("_");
const sessionId = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
const stage = document.getElementById("stage");
const progress = document.getElementById("progress");
const steps = ["document", "upload", "selfie", "submit"];
const countries = [
  ["USA", "United States"], ["CAN", "Canada"], ["GBR", "United Kingdom"], ["IRL", "Ireland"], ["DEU", "Germany"], ["FRA", "France"],
  ["ESP", "Spain"], ["ITA", "Italy"], ["NLD", "Netherlands"], ["SWE", "Sweden"], ["CHE", "Switzerland"], ["AUT", "Austria"], ["POL", "Poland"],
  ["PRT", "Portugal"], ["AUS", "Australia"], ["NZL", "New Zealand"], ["JPN", "Japan"], ["SGP", "Singapore"], ["KOR", "South Korea"],
  ["BRA", "Brazil"], ["MEX", "Mexico"], ["IND", "India"], ["ZAF", "South Africa"], ["ARE", "United Arab Emirates"],
];

let hostOrigin = "*";
let accessToken = "";
let applicant = null;
let lastStatus = "";
let resume = () => open();
let answers = { country: "USA", document: "PASSPORT" };
let poll = 0;

function tell(name, payload = {}) {
  const common = applicant ? { applicantId: applicant.applicantId, levelName: applicant.levelName } : {};
  parent.postMessage({ ...common, ...payload, method: `idCheck.${name}`, frameId, sessionId }, hostOrigin);
}

// call asks the simulator; an expired token is the host's to renew, and what
// was asked is asked again with the new one.
async function call(path, body = {}) {
  const answer = await fetch(`/websdk/api/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...body, accessToken }),
  });
  if (answer.status === 401) {
    tell("onError", { code: "invalid-token", error: "Access token is invalid or expired", reason: "Access token expired" });
    throw new Error("invalid-token");
  }
  const state = await answer.json();
  if (!answer.ok) throw new Error(state.error || "The sandbox gave an unexpected answer. Try again.");
  return state;
}

async function attempt(action) {
  resume = () => attempt(action);
  try {
    await action();
    resume = open;
  } catch (problem) {
    if (problem.message === "invalid-token") return;
    tell("onError", { code: "unknown-error", error: problem.message, reason: problem.message });
    show("broken", problem.message, () => attempt(action));
  }
}

function open() {
  return attempt(async () => {
    const first = applicant === null;
    applicant = await call("launch");
    if (first) {
      tell("onInitialized");
      tell("onApplicantLoaded");
    }
    follow();
  });
}

// follow shows where the review stands, and tells the host when that changed.
function follow() {
  const mark = JSON.stringify([applicant.reviewStatus, applicant.reviewResult]);
  const changed = mark !== lastStatus;
  if (changed) {
    lastStatus = mark;
    const { applicantId, ...status } = applicant;
    tell("applicantStatus", status);
    tell("onApplicantStatusChanged", status);
    if (applicant.reviewStatus === "completed") tell("onApplicantVerificationCompleted", status);
  }
  watch();
  if (changed) present();
}

// watch looks again a little later; an expired token ends it until renewed.
function watch() {
  clearTimeout(poll);
  poll = setTimeout(async () => {
    try {
      applicant = await call("launch");
      follow();
    } catch (problem) {
      if (problem.message !== "invalid-token") watch();
    }
  }, applicant.reviewStatus === "completed" ? 5000 : 1000);
}

function present() {
  const result = applicant.reviewResult || {};
  const comment = result.moderationComment || "";
  switch (applicant.reviewStatus) {
    case "init": return step(0);
    case "awaitingUser": return show("retry", comment || "We need more from you.", () => step(0));
    case "onHold": return show("hold");
    case "completed":
      if (result.reviewAnswer === "GREEN") return show("approved");
      if (result.reviewRejectType === "RETRY") return show("retry", comment, () => step(0));
      return show("rejected", comment);
    default: return show("pending");
  }
}

// show puts a template on the stage; next runs when its form is sent.
function show(name, comment = "", next = () => {}, current = -1) {
  stage.replaceChildren(document.getElementById(name).content.cloneNode(true));
  const place = stage.querySelector("[data-comment]");
  if (place) place.textContent = comment;
  progress.hidden = current < 0;
  Array.from(progress.children).forEach((item, n) => {
    item.classList.toggle("done", n < current);
    if (n === current) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  });
  const form = stage.querySelector("form");
  if (form) form.addEventListener("submit", (event) => { event.preventDefault(); next(new FormData(form)); });
  if (name !== "loading" && document.hasFocus()) stage.querySelector("h1").focus({ preventScroll: true });
  resize();
}

function step(n) {
  const kind = n < 2 ? "IDENTITY" : "SELFIE";
  if (n === 0 || n === 2) tell("onStepInitiated", { idDocSetType: kind, types: n === 0 ? ["PASSPORT", "ID_CARD", "DRIVERS"] : ["SELFIE"] });
  tell("onVerificationProgressChanged", { currentStep: n + 1, totalSteps: steps.length });
  show(steps[n], "", (data) => advance(n, data), n);
  if (n === 0) choices();
  const back = stage.querySelector("[data-back]");
  if (back) back.addEventListener("click", () => step(n - 1));
  const expire = stage.querySelector("[data-expire]");
  if (expire) expire.addEventListener("click", () => attempt(async () => { await call("expire"); resume = open; await call("launch"); }));
}

function choices() {
  const select = stage.querySelector("select");
  for (const [code, name] of countries) select.append(new Option(name, code, false, code === answers.country));
  stage.querySelector(`input[value="${answers.document}"]`).checked = true;
}

function advance(n, data) {
  if (n === 0) answers = { country: data.get("country"), document: data.get("document") };
  if (n === 1) tell("onStepCompleted", { idDocSetType: "IDENTITY" });
  if (n === 2) {
    tell("onLivenessCompleted", { answer: "GREEN", allowContinuing: true });
    tell("onStepCompleted", { idDocSetType: "SELFIE" });
  }
  if (n < 3) return step(n + 1);
  const outcome = data.get("outcome");
  return attempt(async () => {
    applicant = await call("submit", { ...answers, outcome });
    tell(applicant.reprocessing ? "onApplicantResubmitted" : "onApplicantSubmitted");
    follow();
  });
}

function resize() {
  tell("onResize", { height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
}

window.addEventListener("message", (event) => {
  if (event.source !== parent || !event.data) return;
  switch (event.data.method) {
    case "idCheck.init":
      if (accessToken) return;
      hostOrigin = event.origin;
      accessToken = event.data.accessToken;
      if (event.data.lang) document.documentElement.dataset.lang = event.data.lang;
      open();
      break;
    case "idCheck.updateAccessToken":
      if (event.origin !== hostOrigin) return;
      if (!event.data.accessToken) {
        show("broken", event.data.error || "Your session has ended.", () => resume());
        return;
      }
      accessToken = event.data.accessToken;
      resume();
      break;
    case "idCheck.callSetTheme":
      theme(event.data.theme);
      break;
    default:
  }
});

// theme follows the host's choice; without one, the browser's.
function theme(name) {
  if (name === "dark" || name === "light") document.documentElement.dataset.theme = name;
}

theme(new URLSearchParams(location.search).get("theme"));
new ResizeObserver(resize).observe(document.body);
show("loading");
tell("onReady");
