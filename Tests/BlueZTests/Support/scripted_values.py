"""JSON to D-Bus values and back, with the types in BlueZ's documentation of its properties.

A property whose type is not listed here is written {"signature": "q", "value": 5}. Otherwise it is a boolean, an int32,
a string or an array of strings, depending on its form. Bytes are hex strings in JSON."""
from dbus_fast import Variant

TYPES = {
    "org.bluez.Adapter1": {
        "Address": "s", "AddressType": "s", "Name": "s", "Alias": "s", "Class": "u", "Powered": "b",
        "PowerState": "s", "Discoverable": "b", "DiscoverableTimeout": "u", "Pairable": "b", "PairableTimeout": "u",
        "Discovering": "b", "UUIDs": "as", "Modalias": "s", "Roles": "as"},
    "org.bluez.Device1": {
        "Address": "s", "AddressType": "s", "Name": "s", "Alias": "s", "Icon": "s", "Class": "u", "Appearance": "q",
        "UUIDs": "as", "Paired": "b", "Bonded": "b", "Connected": "b", "Trusted": "b", "Blocked": "b",
        "LegacyPairing": "b", "WakeAllowed": "b", "Adapter": "o", "RSSI": "n", "TxPower": "n", "Modalias": "s",
        "ServicesResolved": "b", "AdvertisingFlags": "ay", "ManufacturerData": "a{qv}", "ServiceData": "a{sv}"},
    "org.bluez.Battery1": {"Percentage": "y", "Source": "s"},
    "org.bluez.GattService1": {"UUID": "s", "Primary": "b", "Device": "o", "Includes": "ao", "Handle": "q"},
    "org.bluez.GattCharacteristic1": {
        "UUID": "s", "Service": "o", "Value": "ay", "Notifying": "b", "NotifyAcquired": "b", "WriteAcquired": "b",
        "Flags": "as", "Handle": "q", "MTU": "q"},
    "org.bluez.GattDescriptor1": {"UUID": "s", "Characteristic": "o", "Value": "ay", "Flags": "as", "Handle": "q"},
}


def value(signature, json):
    """Converts a JSON value to dbus-fast's value of this signature."""
    if signature == "ay":
        return bytes.fromhex(json)
    if signature == "v":
        return variant(json)
    if signature.startswith("a{") and isinstance(json, dict):
        key = int if signature[2] in "nqiuxty" else str
        return {key(name): value(signature[3:-1], item) for name, item in json.items()}
    if signature.startswith("a") and isinstance(json, list):
        return [value(signature[1:], item) for item in json]
    return json


def variant(json, interface=None, name=None):
    """Converts the value of a property or a dictionary, with its type."""
    if isinstance(json, dict) and set(json) == {"signature", "value"}:
        return Variant(json["signature"], value(json["signature"], json["value"]))
    signature = TYPES.get(interface, {}).get(name)
    if signature is None:
        if isinstance(json, bool):
            signature = "b"
        elif isinstance(json, int):
            signature = "i"
        elif isinstance(json, str):
            signature = "s"
        elif isinstance(json, list):
            signature = "as"
        else:
            raise ValueError(f"no D-Bus type known for {interface} {name}: {json!r}")
    return Variant(signature, value(signature, json))


def properties(interface, json):
    return {name: variant(item, interface, name) for name, item in json.items()}


def json(anything):
    """Converts a D-Bus value to JSON."""
    if isinstance(anything, Variant):
        return json(anything.value)
    if isinstance(anything, (bytes, bytearray)):
        return bytes(anything).hex()
    if isinstance(anything, dict):
        return {str(key): json(item) for key, item in anything.items()}
    if isinstance(anything, (list, tuple)):
        return [json(item) for item in anything]
    return anything
