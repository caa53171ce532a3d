import Bluetooth

/// The initial objects of a scripted org.bluez, as JSON.
enum ScriptedTree {
  static let adapter = "/org/bluez/hci0"
  static let strap = "/org/bluez/hci0/dev_F0_0D_BE_A7_01_01"
  static let measurement = strap + "/service000e/char000f"
  static let address = BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)
  static let adapterAddress = BluetoothAddress(bits: 0x001B_DC0A_0B01, kind: .publicDevice)

  private static func uuid(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

  static func adapterObject(_ properties: String = #""Powered": true"#) -> String {
    #""\#(adapter)": {"org.bluez.Adapter1": {"Address": "00:1B:DC:0A:0B:01", "Discovering": false, \#(properties)}}"#
  }

  static var strapObject: String { #""\#(strap)": \#(strapInterfaces)"# }

  static var strapInterfaces: String {
    #"""
    {"org.bluez.Device1": {"Address": "F0:0D:BE:A7:01:01", "AddressType": "random",
      "Adapter": "\#(adapter)", "Name": "Strap", "RSSI": -60, "Connected": false, "ServicesResolved": false,
      "Paired": false, "Trusted": false, "UUIDs": ["\#(uuid("180d"))"]}}
    """#
  }

  static func services(withMeasurement hasMeasurement: Bool = true) -> String {
    let service = strap + "/service000e"
    let measurement = #"""
      "\#(measurement)": {"org.bluez.GattCharacteristic1": {"UUID": "\#(uuid("2a37"))", "Service": "\#(service)",
        "Notifying": false, "Flags": ["notify"], "Value": ""}},
      """#
    return #"""
      "\#(strap)": {
        "\#(service)": {"org.bluez.GattService1": {"UUID": "\#(uuid("180d"))", "Device": "\#(strap)"}},
        \#(hasMeasurement ? measurement : "")
        "\#(service)/char0012": {"org.bluez.GattCharacteristic1": {"UUID": "\#(uuid("2a38"))",
          "Service": "\#(service)", "Flags": ["read"], "Value": "01"}}}
      """#
  }

  /// - Parameter isKnown: Whether bluetoothd knows the strap. If not, a discovery finds it.
  static func json(isKnown: Bool = true, adapter: String = adapterObject(), hasMeasurement: Bool = true)
    -> String
  {
    let objects = [adapter, isKnown ? strapObject : ""].filter { !$0.isEmpty }.joined(separator: ", ")
    return #"""
      {"objects": {\#(objects)}, "discoverable": {\#(isKnown ? "" : strapObject)},
       "services": {\#(services(withMeasurement: hasMeasurement))}}
      """#
  }
}
