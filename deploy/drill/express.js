// Stands for BitGo Express: hands every request on to the simulators.
const http = require('node:http')
http
  .createServer((from, back) => {
    const onward = http.request({ host: 'world', port: 8091, path: from.url, method: from.method, headers: from.headers }, (answer) => {
      back.writeHead(answer.statusCode, answer.headers)
      answer.pipe(back)
    })
    onward.on('error', () => back.writeHead(502).end())
    from.pipe(onward)
  })
  .listen(Number(process.env.BITGO_PORT), process.env.BITGO_BIND)
process.on('SIGTERM', () => process.exit(0))
