"""A small FHIR R4 server for tests, with the semantics of a real one: conditional create, update and delete, transactions
that are taken whole or not at all, versions, OperationOutcomes. It keeps everything in memory, and lives as long as its
standard input is open.

usage: fhir_server.py [--tls CERTIFICATE KEY]

Its first line is its port. Each line of standard input is a command (JSON), which it answers with a line:
  {"set": {...}}      settings: token, refuse (identifiers), refuseStatus, locates, patients, metadata, brokenEntry
  {"faults": [...]}   what befalls the next transactions, one each (null: nothing): {"status", "headers", "body"},
                      {"hang": true}, {"cut": "before" | "after"} (the connection closed before the answer: nothing was
                      done, or all), {"half": true} (in the middle of the answer, when all was done)
  {"forget": "Device"} removes all of a type
  {"double": true}    a second copy of all that it holds
  {"state": true}     what it holds, and which requests it got
"""
import copy
import http.server
import json
import ssl
import sys
import threading
import urllib.parse

BASE = "/fhir"


class Refusal(Exception):
    def __init__(self, status, code, entry=None, place=None):
        self.status, self.code, self.entry, self.place = status, code, entry, place


class Store:
    """Resources by type and id, each with its version."""

    def __init__(self):
        self.resources = {}
        self.next = 1

    def matches(self, kind, query):
        """Ids of what a search finds. Only `identifier` is known, as `system|value` or `value`."""
        parameters = urllib.parse.parse_qsl(query, keep_blank_values=True)
        if [name for name, _ in parameters] != ["identifier"]:
            raise Refusal(400, "invalid")
        token = parameters[0][1]
        system, bar, value = token.rpartition("|")
        return [
            i for (k, i), (resource, _) in self.resources.items()
            if k == kind and any(
                x.get("value") == value and (not bar or x.get("system") == system)
                for x in resource.get("identifier", []))
        ]

    def put(self, resource, i=None):
        kind = resource["resourceType"]
        if i is None:
            i, self.next = str(self.next), self.next + 1
        version = self.resources[(kind, i)][1] + 1 if (kind, i) in self.resources else 1
        self.resources[(kind, i)] = (dict(resource, id=i), version)
        return i, version


class Server:
    def __init__(self):
        self.lock = threading.Lock()
        self.store = Store()
        self.settings = {"patients": ["123"], "locates": False, "refuse": [], "refuseStatus": 422}
        self.faults = []
        self.requests = []
        self.release = threading.Event()

    def check(self, resource, entry):
        """What every server checks, and the rules of the vital signs."""
        def fail(place, status=422, code="invalid"):
            raise Refusal(status, code, entry, place)
        kind = resource.get("resourceType")
        if kind not in ("Observation", "Device"):
            fail("resourceType")
        if kind == "Device":
            if self.settings.get("noDevices"):
                fail("Device")
            return
        if resource.get("status") != "final" or not resource.get("code", {}).get("coding"):
            fail("Observation.code")
        subject = resource.get("subject", {})
        reference = subject.get("reference", "")
        if reference.startswith("Patient/") and reference[8:] not in self.settings["patients"]:
            fail("Observation.subject", 400)
        if not reference and not subject.get("identifier"):
            fail("Observation.subject")
        device = resource.get("device", {}).get("reference")
        if device and not device.startswith("#") and ("Device", device.split("/")[1]) not in self.store.resources:
            fail("Observation.device", 400)
        if any(x.get("value") in self.settings["refuse"] for x in resource.get("identifier", [])):
            fail("Observation.valueQuantity", self.settings["refuseStatus"])

    def transaction(self, bundle):
        entries = bundle.get("entry", [])
        before = copy.deepcopy(self.store)
        answers = [None] * len(entries)
        order = {"DELETE": 0, "POST": 1, "PUT": 2}
        try:
            for index in sorted(range(len(entries)), key=lambda i: order[entries[i]["request"]["method"]]):
                answers[index] = self.entry(entries[index], index)
        except Refusal:
            self.store = before
            raise
        return {"resourceType": "Bundle", "type": "transaction-response", "entry": answers}

    def entry(self, entry, index):
        request = entry["request"]
        kind, _, query = request["url"].partition("?")
        if request["method"] == "DELETE":
            found = self.store.matches(kind, query)
            if len(found) > 1:
                raise Refusal(412, "multiple-matches", index)
            for i in found:
                del self.store.resources[(kind, i)]
            return {"response": {"status": "204 No Content"}}
        resource = entry["resource"]
        self.check(resource, index)
        query = request.get("ifNoneExist", "") if request["method"] == "POST" else query
        found = self.store.matches(kind, query) if query else []
        if len(found) > 1:
            raise Refusal(412, "multiple-matches", index)
        if found and request["method"] == "POST":
            return self.answered(kind, found[0], self.store.resources[(kind, found[0])][1], "200 OK")
        if found and self.store.resources[(kind, found[0])][0] == dict(resource, id=found[0]):
            return self.answered(kind, found[0], self.store.resources[(kind, found[0])][1], "200 OK")
        i, version = self.store.put(resource, found[0] if found else None)
        return self.answered(kind, i, version, "201 Created" if version == 1 else "200 OK")

    @staticmethod
    def answered(kind, i, version, status):
        return {"response": {"status": status, "location": f"{kind}/{i}/_history/{version}", "etag": f'W/"{version}"'}}


server = Server()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, headers=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/fhir+json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, refusal):
        issue = {"severity": "error", "code": refusal.code, "diagnostics": "the value 173 is not allowed"}
        if server.settings["locates"] and refusal.entry is not None:
            issue["expression"] = [f"Bundle.entry[{refusal.entry}].resource"]
        elif refusal.place:
            issue["expression"] = [refusal.place]
        self.answer(refusal.status, {"resourceType": "OperationOutcome", "issue": [issue]})

    def authorised(self):
        token = server.settings.get("token")
        if token and self.headers.get("Authorization") != f"Bearer {token}":
            self.answer(401, {"resourceType": "OperationOutcome", "issue": []})
            return False
        return True

    def record(self, count=None):
        server.requests.append({
            "method": self.command, "path": self.path, "entries": count,
            "authorization": self.headers.get("Authorization"), "type": self.headers.get("Content-Type"),
        })

    def do_GET(self):
        with server.lock:
            self.record()
            if not self.authorised():
                return
            path = self.path[len(BASE):] if self.path.startswith(BASE) else ""
            if path == "/metadata":
                self.answer(200, server.settings.get("metadata") or {
                    "resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "status": "active",
                    "rest": [{"mode": "server", "resource": [
                        {"type": "Observation", "conditionalCreate": True, "conditionalDelete": "single"}]}],
                })
            elif path.startswith("/Patient/") and path[9:] in server.settings["patients"]:
                self.answer(200, {"resourceType": "Patient", "id": path[9:]})
            else:
                self.answer(404, {"resourceType": "OperationOutcome", "issue": []})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = None
        with server.lock:
            bundle = json.loads(body)
            self.record(len(bundle.get("entry", [])))
            if self.path != BASE or bundle.get("type") != "transaction":
                return self.answer(404)
            if not self.authorised():
                return
            if server.faults:
                fault = server.faults.pop(0)
            if fault and "status" in fault:
                return self.answer(fault["status"], fault.get("body"), fault.get("headers"))
            if fault and fault.get("cut") == "before":
                return self.cut()
            if not fault or "hang" not in fault:
                try:
                    answer = server.transaction(bundle)
                except Refusal as refusal:
                    return self.refuse(refusal)
                if server.settings.get("brokenEntry") is not None:
                    answer["entry"][server.settings["brokenEntry"]] = {"response": {"status": "422 Refused"}}
        if fault and "hang" in fault:
            server.release.wait()
            return self.cut()
        if fault and fault.get("cut") == "after":
            return self.cut()
        if fault and "half" in fault:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b'{"resourceType":"Bundle",')
            return self.cut()
        self.answer(200, answer)

    def cut(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()


def command(line):
    request = json.loads(line)
    with server.lock:
        if "set" in request:
            server.settings.update(request["set"])
        if "faults" in request:
            server.faults = request["faults"]
        if "forget" in request:
            for key in [k for k in server.store.resources if k[0] == request["forget"]]:
                del server.store.resources[key]
        if "double" in request:
            # A second copy of everything, as two clients make that do not ask first.
            for resource, _ in list(server.store.resources.values()):
                server.store.put(resource)
        return {
            "resources": [dict(r, versionId=v) for r, v in server.store.resources.values()],
            "requests": server.requests,
        }


def main():
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    if len(sys.argv) == 4 and sys.argv[1] == "--tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    print(listener.server_port, flush=True)
    for line in sys.stdin:
        print(json.dumps(command(line)), flush=True)


if __name__ == "__main__":
    main()
