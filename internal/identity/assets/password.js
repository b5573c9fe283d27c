const { show, hide } = document.body.dataset

// A button beside each password shows what was typed. Without this file the
// pages work the same.
for (const input of document.querySelectorAll('input[type="password"]')) {
  const label = document.querySelector(`label[for="${input.id}"]`)
  const button = document.createElement('button')
  const say = (shown) => {
    input.type = shown ? 'text' : 'password'
    button.textContent = shown ? hide : show
    button.setAttribute('aria-label', `${button.textContent} ${label.textContent.toLowerCase()}`)
  }
  button.type = 'button'
  button.className = 'reveal'
  button.addEventListener('click', () => say(input.type === 'password'))
  const row = document.createElement('div')
  row.className = 'secret'
  input.replaceWith(row)
  row.append(input, button)
  say(false)
  input.form.addEventListener('submit', () => say(false))
  if (input.autofocus) input.focus()
}
