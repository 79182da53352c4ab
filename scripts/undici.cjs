// What @actions/github and @actions/http-client use of undici, which is three fourths of it.
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js')
exports.fetch = require('undici/lib/web/fetch/index.js').fetch
