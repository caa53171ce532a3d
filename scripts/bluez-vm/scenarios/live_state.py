"""The live state of a gateway on a real broker, with a real bluetoothd: live_state.py GROUP, in the guest."""
import json
import pathlib
import signal
import subprocess

from gateway import OUT, Gateway, address, begin, hrgate, lines, say, until

PORT = "1883"


class Broker:
    """Runs mosquitto, and records all messages that it receives, with their times."""

    def __init__(self):
        settings = pathlib.Path("/root/mosquitto.conf")
        settings.write_text(f"listener {PORT} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n")
        self.log = open(OUT / "mosquitto.log", "ab")
        subprocess.Popen(["/usr/sbin/mosquitto", "-c", str(settings)], stdout=self.log, stderr=self.log)
        until("mosquitto listens", lambda: subprocess.run(
            ["mosquitto_pub", "-p", PORT, "-t", "there", "-m", "1"], capture_output=True, check=False).returncode == 0)
        self.heard = open(OUT / "heard.jsonl", "ab")
        subprocess.Popen(["mosquitto_sub", "-p", PORT, "-t", "#", "-q", "1", "-F", "%j"], stdout=self.heard)

    @staticmethod
    def messages(since=0):
        found = []
        for line in (OUT / "heard.jsonl").read_text().splitlines()[since:]:
            try:
                found.append(json.loads(line))
            except ValueError:                          # it is still being written
                break
        return found

    @staticmethod
    def mark():
        return len(Broker.messages())

    @staticmethod
    def kept(*topics):
        """Returns the retained messages that a new client receives: topic → payload."""
        words = [word for topic in topics for word in ("-t", topic)]
        done = subprocess.run(["mosquitto_sub", "-p", PORT, *words, "--retained-only", "-W", "5", "-F", "%j"],
                              capture_output=True, text=True, check=False)
        return {item["topic"]: item["payload"] for item in map(json.loads, done.stdout.splitlines())}


def payload(message):
    return json.loads(message["payload"])


def heard(broker, suffix, since=0):
    return [item for item in broker.messages(since) if item["topic"].endswith(suffix)]


def pulses(broker, least, since=0):
    """Returns the messages about the first strap that have a heart rate, or an empty list if there are fewer than
    `least`."""
    found = [state for state in map(payload, heard(broker, f"{address(0)}/state", since)) if state["heartRate"]]
    return found if len(found) >= least else []


def killed():
    broker = Broker()
    for index in (0, 1):
        lines("pair", address(index), "--no-bond")
    # The destination has only the first strap's samples. Nothing of the second strap may be published.
    source = f"org.hrgate.monitor.{address(0)}"
    hrgate("sync", "add", "home", f"mqtt://127.0.0.1:{PORT}/?discovery=homeassistant", "--source", source)
    gateway = Gateway()
    gateway.measures(0, 1)
    # Wait for sixty heart rates, so that the store has committed at least twice.
    rates = until("sixty pulses are told", lambda: pulses(broker, 60), 180)
    say(f"{len(rates)} heart rates published")

    # Home Assistant gets one discovery message for the gateway and one for the chosen strap. Each entity's topic must
    # exist.
    kept = broker.kept("#")
    configurations = {topic: json.loads(text) for topic, text in kept.items() if topic.startswith("homeassistant/")}
    components = {name: component for configuration in configurations.values()
                  for name, component in configuration["components"].items()}
    entities = {name.rsplit("_", 1)[-1] for name in components}
    assert {"rate", "contact", "battery", "rssi", "state", "status"} == entities, entities
    assert len(configurations) == 2, sorted(configurations)
    for component in components.values():
        assert component["state_topic"] in kept, component
    say(f"{len(components)} entities are kept for Home Assistant: {', '.join(sorted(entities))}")

    # Nothing of the other strap was ever published.
    other = address(1), address(1).replace(":", "").lower()
    for item in broker.messages():
        assert not any(word in json.dumps(item) for word in other), item
    say("there is no data of the strap that was not chosen")

    mark = broker.mark()
    gateway.process.send_signal(signal.SIGKILL)
    gateway.process.wait()
    until("the last will says offline", lambda: [
        item for item in heard(broker, "/status", mark) if item["payload"] == "offline"], 60)
    status = next(topic for topic in kept if topic.endswith("/status") and topic.startswith("hrgate/"))
    assert broker.kept(status) == {status: "offline"}, broker.kept(status)
    until("the pulse is forgotten", lambda: not broker.kept(f"hrgate/+/{address(0)}/state"), 30)
    say("killed: the last will says offline and is retained, and no heart rate is left")

    # Each published heart rate is a sample of the store, unless it was not committed when the gateway was killed.
    stored = {(item["start"], item["value"]) for item in lines("samples", "--type", "heartRate", "--source", source)}
    last = max(start for start, _ in stored)
    told = {(item["time"], item["heartRate"]) for item in pulses(broker, 1) if item["time"] <= last}
    assert len(told) >= 5 and told <= stored, (len(told), sorted(told - stored)[:3])
    say(f"{len(told)} published heart rates equal samples of the store")

    mark = broker.mark()
    gateway = Gateway(continued=True)
    gateway.measures(0, 1)
    until("a heart rate is published again", lambda: pulses(broker, 1, mark), 180)
    assert broker.kept(status) == {status: "online"}, broker.kept(status)
    say("started again: online, with a heart rate")
    # Pending samples are sent to the broker, and the gateway publishes that it is offline.
    until("the samples are there", lambda: lines("sync", "status")[0]["state"] in ("current", "carrying"))
    gateway.stop()
    assert broker.kept(status) == {status: "offline"}, broker.kept(status)


begin({"killed": killed})
