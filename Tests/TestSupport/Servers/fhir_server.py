"""A small FHIR R4 server for tests, with the semantics of a real one: conditional create, update and delete, atomic
transactions, versions, OperationOutcomes. It keeps everything in memory and exits when its standard input is closed.

usage: fhir_server.py [--tls CERTIFICATE KEY]

It first prints its port. Each line of standard input is a JSON command, and the response is one line:
  {"set": {...}}      settings: token, refuse (identifiers), refuseStatus, locates, patients, metadata, brokenEntry and
                      brokenStatus, poison (identifiers that make the server fail: 500), readOnly (writes
                      fail: 500), readOnlyAfter and downAfter (the number of transactions after which writes fail, or
                      everything fails with 502), noSearch (403), overtake (identifiers that another gateway withdraws
                      right before the next transaction), remade (right after the next search for a Device, another
                      client replaces each Device, with this name), conflict (the status for another version; 412),
                      padding (number of spaces before the metadata)
  {"faults": [...]}   faults of the next transactions, one each (null: none): {"status", "headers", "body"},
                      {"hang": true}, {"drip": true} (endlessly sends single bytes of the response), {"says"} (sends
                      this text, which is not HTTP), {"cut": "before" | "after"} (closes the connection without a
                      response, before or after applying the transaction), {"half": true} (closes the connection in
                      the middle of the response, after applying it)
  {"forget": "Device"} removes all resources of a type
  {"disown": true}    keeps only the first identifier of each Device
  {"double": true}    adds a second copy of all resources
  {"state": true}     returns the resources, the received requests, and the number of connections
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
        self.tells_versions = True

    def withdraw(self, value):
        """Withdraws an Observation as another gateway does: replaces its content and adds an identifier of that
        gateway."""
        for i in self.matches("Observation", urllib.parse.urlencode({"identifier": value})):
            resource, _ = self.resources[("Observation", i)]
            self.put({
                "resourceType": "Observation", "status": "entered-in-error", "code": resource["code"],
                "subject": resource["subject"], "identifier": [resource["identifier"][0], {
                    "system": "urn:uuid:5b0c1c0e-6d6e-4f0b-9c35-0b6c0b4c7a11", "value": value + "/another"}],
            }, i)

    def remake_devices(self, name):
        """Replaces each Device by one with this name, as another client that deletes and creates it."""
        for key in [key for key in self.resources if key[0] == "Device"]:
            resource, _ = self.resources.pop(key)
            self.put({
                "resourceType": "Device", "identifier": resource["identifier"][:1],
                "deviceName": [{"name": name, "type": "user-friendly-name"}],
            })

    def matches(self, kind, query):
        """Returns the ids that a search finds. Supports only `identifier` (`system|value` or `value`) and `subject`."""
        parameters = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if "identifier" not in parameters or set(parameters) - {"identifier", "subject"}:
            raise Refusal(400, "invalid")
        system, bar, value = parameters["identifier"].rpartition("|")
        subject = parameters.get("subject")
        return [
            i for (k, i), (resource, _) in self.resources.items()
            if k == kind and subject in (None, resource.get("subject", {}).get("reference")) and any(
                x.get("value") == value and (not bar or x.get("system") == system)
                for x in resource.get("identifier", []))
        ]

    def search(self, kind, query):
        """Returns a searchset. `identifier` may be a list, which means "or". Also supports `status` and `_count`."""
        given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        found = []
        for token in given.get("identifier", "").split(","):
            condition = {"identifier": token, **({"subject": given["subject"]} if "subject" in given else {})}
            found += self.matches(kind, urllib.parse.urlencode(condition))
        versions = [self.resources[(kind, i)] for i in dict.fromkeys(found)]
        resources = [dict(r, meta={"versionId": str(v)} if self.tells_versions else {}) for r, v in versions]
        resources = [r for r in resources if given.get("status") in (None, r.get("status"))]
        count = int(given.get("_count", 20))
        return {
            "resourceType": "Bundle", "type": "searchset", "total": len(resources),
            "link": [{"relation": "next", "url": "http://elsewhere.example"}] if len(resources) > count else [],
            "entry": [{"resource": r} for r in resources[:count]],
        }

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
        self.connections = 0
        self.release = threading.Event()

    def befalls(self, setting):
        """Returns whether the number of transactions of `readOnlyAfter` or `downAfter` is reached."""
        left = self.settings.get(setting)
        return left is not None and left <= 0

    def count(self):
        for setting in ("readOnlyAfter", "downAfter"):
            if self.settings.get(setting) is not None:
                self.settings[setting] -= 1

    def check(self, resource, entry):
        """Checks what every server checks, and the rules for vital signs."""
        def fail(place, status=422, code="invalid"):
            raise Refusal(status, code, entry, place)
        kind = resource.get("resourceType")
        if kind not in ("Observation", "Device"):
            fail("resourceType")
        if kind == "Device":
            if self.settings.get("noDevices"):
                fail("Device")
            return
        if resource.get("status") not in ("final", "entered-in-error") or not resource.get("code", {}).get("coding"):
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
        if any(x.get("value") in self.settings.get("poison", []) for x in resource.get("identifier", [])):
            raise Refusal(500, "exception")
        if any(x.get("value") in self.settings["refuse"] for x in resource.get("identifier", [])):
            fail("Observation.valueQuantity", self.settings["refuseStatus"])

    def transaction(self, bundle):
        entries = bundle.get("entry", [])
        for value in self.settings.pop("overtake", []):
            self.store.withdraw(value)
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
        place, _, query = request["url"].partition("?")
        kind, _, given = place.partition("/")
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
        found = self.store.matches(kind, query) if query else [given] if (kind, given) in self.store.resources else []
        match = request.get("ifMatch")
        if match and (not found or match != f'W/"{self.store.resources[(kind, given)][1]}"'):
            raise Refusal(self.settings.get("conflict", 412), "conflict", index)
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

    def setup(self):
        super().setup()
        with server.lock:
            server.connections += 1

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, headers=None, padding=0):
        data = b"" if body is None else b" " * padding + json.dumps(body).encode()
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

    def record(self, count=None, size=0):
        server.requests.append({
            "method": self.command, "path": self.path, "entries": count, "size": size,
            "authorization": self.headers.get("Authorization"), "type": self.headers.get("Content-Type"),
        })

    def do_GET(self):
        with server.lock:
            self.record()
            if server.befalls("downAfter"):
                return self.answer(502)
            if not self.authorised():
                return
            path = self.path[len(BASE):] if self.path.startswith(BASE) else ""
            if path == "/metadata":
                self.answer(200, server.settings.get("metadata") or {
                    "resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "status": "active",
                    "rest": [{"mode": "server", "resource": [
                        {"type": "Observation", "conditionalCreate": True, "conditionalDelete": "single"}]}],
                }, padding=server.settings.get("padding", 0))
            elif path.startswith(("/Observation?", "/Device?")):
                if server.settings.get("noSearch"):
                    return self.answer(403)
                kind, _, query = path[1:].partition("?")
                found = server.store.search(kind, query)
                if kind == "Device" and "remade" in server.settings:
                    server.store.remake_devices(server.settings.pop("remade"))
                self.answer(200, found)
            elif path.startswith("/Patient/") and path[9:] in server.settings["patients"]:
                self.answer(200, {"resourceType": "Patient", "id": path[9:]})
            else:
                self.answer(404, {"resourceType": "OperationOutcome", "issue": []})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = None
        with server.lock:
            bundle = json.loads(body)
            self.record(len(bundle.get("entry", [])), len(body))
            if self.path != BASE or bundle.get("type") != "transaction":
                return self.answer(404)
            if not self.authorised():
                return
            if server.faults:
                fault = server.faults.pop(0)
            if fault and "status" in fault:
                return self.answer(fault["status"], fault.get("body"), fault.get("headers"))
            if server.befalls("downAfter"):
                return self.answer(502)
            if server.settings.get("readOnly") or server.befalls("readOnlyAfter"):
                return self.answer(500)
            if fault and "says" in fault:
                self.wfile.write(fault["says"].encode())
                return self.cut()
            server.count()
            if fault and fault.get("cut") == "before":
                return self.cut()
            if not fault or "hang" not in fault:
                try:
                    answer = server.transaction(bundle)
                except Refusal as refusal:
                    return self.refuse(refusal)
                if server.settings.get("brokenEntry") is not None:
                    answer["entry"][server.settings["brokenEntry"]] = {
                        "response": {"status": server.settings.get("brokenStatus", "422 Refused")}}
        if fault and "hang" in fault:
            server.release.wait()
            return self.cut()
        if fault and fault.get("cut") == "after":
            return self.cut()
        if fault and "drip" in fault:
            return self.drip()
        if fault and "half" in fault:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b'{"resourceType":"Bundle",')
            return self.cut()
        self.answer(200, answer)

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        try:
            while not server.release.wait(0.2):
                self.wfile.write(b" ")
        except OSError:
            self.close_connection = True

    def cut(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()


def command(line):
    request = json.loads(line)
    with server.lock:
        if "set" in request:
            server.settings.update(request["set"])
            server.store.tells_versions = server.settings.get("tellsVersions", True)
        if "faults" in request:
            server.faults = request["faults"]
        if "forget" in request:
            for key in [k for k in server.store.resources if k[0] == request["forget"]]:
                del server.store.resources[key]
        if "disown" in request:
            for (kind, _), (resource, _) in server.store.resources.items():
                if kind == "Device":
                    resource["identifier"] = resource["identifier"][:1]
        if "double" in request:
            # Adds a copy of each resource, as two clients would that create it without a condition.
            for resource, _ in list(server.store.resources.values()):
                server.store.put(resource)
        return {
            "resources": [dict(r, versionId=v) for r, v in server.store.resources.values()],
            "requests": server.requests,
            "connections": server.connections,
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
