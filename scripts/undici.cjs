// The parts of undici that @actions/github and @actions/http-client use: three quarters of it.
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js')
exports.fetch = require('undici/lib/web/fetch/index.js').fetch
