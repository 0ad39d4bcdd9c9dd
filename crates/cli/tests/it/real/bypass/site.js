// A site on Node that tells by which readings of its own a request is for the protected path.
const http = require("http");
const path = require("path");
const url = require("url");

const READINGS = {
  url: (target) => new URL(target, "http://site").pathname,
  parse: (target) => url.parse(target).pathname,
  file: (target) => path.posix.normalize(decodeURIComponent(target.split("?")[0])),
};

function isProtected(reading, target) {
  try {
    return reading(target).replace(/\/+$/, "") === "/api/login";
  } catch {
    return false;
  }
}

const server = http.createServer((request, response) => {
  const served = Object.keys(READINGS).filter((name) => isProtected(READINGS[name], request.url));
  const body = served.join(" ");
  // HTTP/1.0, which NGINX speaks to it, has no other sign of the end that a client of NGINX sees.
  response.setHeader("Content-Length", body.length);
  response.end(body);
});
server.keepAliveTimeout = 0;
server.listen(Number(process.argv[2]), "127.0.0.1");
