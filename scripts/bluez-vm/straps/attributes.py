"""A strap's services, correct or wrong, and its pairing behavior."""
import struct

from bumble import att, core, gatt, pairing
from bumble.device import Device

HEART_RATE, MEASUREMENT, LOCATION, CONTROL_POINT = 0x180D, 0x2A37, 0x2A38, 0x2A39
DEVICE_INFORMATION, BATTERY, LEVEL, CCCD = 0x180A, 0x180F, 0x2A19, 0x2902
APPEARANCE_HEART_RATE_BELT = 0x0341
INFORMATION = ((0x2A29, "Virtual Pulse"), (0x2A24, "VP-1"), (0x2A25, "VP{index:06d}"),
               (0x2A27, "B"), (0x2A26, "1.4.2"), (0x2A28, "3.0"))
# What a strap with wrong data has instead of the service that it advertises.
LIES = ("none", "no-service", "no-measurement", "no-notify")
# The variants of a strap's attribute table, for `reshape`. --reshape-on-reconnect uses them in turn.
SHAPES = ("plain", "shift", "swap")
# Another variant for `reshape`: an attribute table without Heart Rate Measurement.
LYING = "lying"


def uuid16(number):
    return core.UUID.from_16_bits(number)


def advertising_data(bare):
    services = struct.pack("<HHH", HEART_RATE, BATTERY, DEVICE_INFORMATION)[:2 if bare else 6]
    return bytes(core.AdvertisingData([
        (core.AdvertisingData.FLAGS, b"\x06"),
        (core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, services),
        (core.AdvertisingData.APPEARANCE, struct.pack("<H", APPEARANCE_HEART_RATE_BELT))]))


def scan_response(name):
    return bytes(core.AdvertisingData([(core.AdvertisingData.COMPLETE_LOCAL_NAME, name[:29])]))


def services(strap, shape):
    """Returns the services for Bumble. `shift` adds a service before 180D, so that each handle in it moves. `swap`
    keeps 180D's range but changes the order in it, so that old handles belong to other attributes."""
    kind, attribute, options = gatt.Characteristic, att.Attribute, strap.options
    write = attribute.WRITEABLE
    if strap.secure != "no":
        write |= attribute.WRITE_REQUIRES_ENCRYPTION
    if strap.secure == "authenticated":
        write |= attribute.WRITE_REQUIRES_AUTHENTICATION

    lie = "no-measurement" if shape == LYING else strap.lie
    properties = kind.Properties.READ if lie == "no-notify" else kind.Properties.NOTIFY
    permissions = attribute.READABLE if lie == "no-notify" else attribute.Permissions(0)
    strap.measurement = kind(uuid16(MEASUREMENT), properties, permissions, b"")
    if strap.secure != "no" and lie != "no-notify":
        strap.measurement.descriptors = [gatt.Descriptor(
            uuid16(CCCD), attribute.READABLE | write,
            strap.device.gatt_server.make_descriptor_value(strap.measurement))]
    strap.measurement.on("subscription", strap.on_subscription)

    inside = [] if lie == "no-measurement" else [strap.measurement]
    if options.location is not None:
        location = kind(uuid16(LOCATION), kind.Properties.READ, attribute.READABLE, bytes([options.location]))
        inside.insert(0 if shape == "swap" else len(inside), location)
    if strap.energy is not None:
        inside.append(kind(uuid16(CONTROL_POINT), kind.Properties.WRITE, write,
                           gatt.CharacteristicValue(write=strap.on_control_point)))

    offered = []
    if shape == "shift":
        vendor = core.UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
        offered.append(gatt.Service(vendor, [kind(
            core.UUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E"), kind.Properties.READ, attribute.READABLE, b"new")]))
    if lie != "no-service":
        offered.append(gatt.Service(uuid16(HEART_RATE), inside))
    if not options.bare:
        offered.append(gatt.Service(uuid16(DEVICE_INFORMATION), [
            kind(uuid16(number), kind.Properties.READ, attribute.READABLE, text.format(index=strap.index).encode())
            for number, text in INFORMATION]))
        strap.level = kind(uuid16(LEVEL), kind.Properties.READ | kind.Properties.NOTIFY, attribute.READABLE,
                           gatt.CharacteristicValue(read=lambda connection: bytes([strap.battery])))
        offered.append(gatt.Service(uuid16(BATTERY), [strap.level]))
    return offered


def refuse_writes(attribute):
    """Makes attributes read-only. Bumble's server does not check permissions: without this, a client that writes to
    the old handle of 2A37's CCCD would destroy a characteristic's declaration."""
    if attribute.permissions & att.Attribute.WRITEABLE:
        return

    async def write_value(bearer, value):
        raise att.ATT_Error(att.ATT_WRITE_NOT_PERMITTED_ERROR, attribute.handle)
    attribute.write_value = write_value


class Delegate(pairing.PairingDelegate):
    def __init__(self, strap, capability):
        key = self.KeyDistribution
        told = key.DISTRIBUTE_ENCRYPTION_KEY
        if strap.kind != "anonymous":
            told |= key.DISTRIBUTE_IDENTITY_KEY
        super().__init__(io_capability=capability, local_responder_key_distribution=told)
        self.strap = strap

    async def accept(self):
        return self.strap.pairing != "none"

    async def generate_passkey(self):
        return self.strap.options.passkey

    async def display_number(self, number, digits):
        self.strap.log(event="passkey", shown=f"{number:0{digits}d}")


ADDRESSES = ("random", "public", "private", "private-public", "anonymous")
# The address types with a resolvable private address. An anonymous strap sends no identity.
PRIVATE = ("private", "private-public", "anonymous")
PAIRINGS = ("none", "just-works", "passkey", "numeric", "legacy", "legacy-passkey")


def has_public_identity(strap):
    return strap.kind in ("public", "private-public")


def pairing_config(strap):
    """Sets the identity address that a strap sends when pairing. By default Bumble sends the public address, and the
    kernel ignores that identity if the strap pairs with a static or public address that differs from it."""
    kinds, capability = pairing.PairingConfig.AddressType, pairing.PairingDelegate.IoCapability
    by_number = strap.pairing in ("passkey", "legacy-passkey", "numeric")
    has = capability.NO_OUTPUT_NO_INPUT
    if by_number:
        has = capability.DISPLAY_OUTPUT_ONLY
    if strap.pairing == "numeric":
        has = capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT
    return pairing.PairingConfig(sc=not strap.pairing.startswith("legacy"), mitm=by_number, bonding=True,
                                 identity_address_type=kinds.PUBLIC if has_public_identity(strap) else kinds.RANDOM,
                                 delegate=Delegate(strap, has))


class Peripheral(Device):
    """A Bumble device that finds the key of a legacy pairing by the EDIV and Rand in the central's request. Bumble
    itself looks up the key by the other device's name."""

    async def get_long_term_key(self, connection_handle, rand, ediv):
        connection = self.lookup_connection(connection_handle)
        if connection is None:
            return None
        key = self.smp_manager.get_long_term_key(connection, rand, ediv)
        if key is not None or self.keystore is None:
            return key
        keys = await self.keystore.get(str(connection.peer_address))
        for key in (keys.ltk, keys.ltk_peripheral, keys.ltk_central) if keys else ():
            if key and (key.rand or bytes(8)) == rand and (key.ediv or 0) == ediv:
                return key.value
        return None
