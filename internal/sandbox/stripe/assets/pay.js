// Fills the form with the chosen test card. Without it, the number is typed.
for (const choice of document.querySelectorAll(".choice")) {
  choice.addEventListener("click", () => {
    const fill = (id, value) => { document.getElementById(id).value = value; };
    fill("number", choice.dataset.number);
    fill("expiry", "12 / 34");
    fill("cvc", choice.dataset.number.startsWith("37") ? "1234" : "123");
    document.querySelector(".pay button").focus();
  });
}
