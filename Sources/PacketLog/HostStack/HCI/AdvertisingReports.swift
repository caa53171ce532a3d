package import Bluetooth

/// Parses LE Advertising Reports and LE Extended Advertising Reports (Core Specification, Vol 4, Part E,
/// §7.7.65.2, §7.7.65.13).
package enum AdvertisingReports {
  /// Calls `body` with the address and name of each report that contains a name.
  static func forEachName(_ parameters: RawSpan, _ body: (BluetoothAddress, String) -> Void) {
    forEach(parameters) { address, data in
      if let name = localName(in: data) { body(address, name) }
    }
  }

  /// Calls `body` with the address and the AD structures of each report.
  ///
  /// - Parameter parameters: The parameters of the LE Meta event, including the subevent code.
  package static func forEach(_ parameters: RawSpan, _ body: (BluetoothAddress, RawSpan) -> Void) {
    guard let subevent = parameters.uint8(at: 0), let count = parameters.uint8(at: 1) else { return }
    let isExtended = subevent == LESubevent.extendedAdvertisingReport
    var offset = 2
    for _ in 0..<count {
      let typeOffset = offset + (isExtended ? 2 : 1)
      let lengthOffset = offset + (isExtended ? 23 : 8)
      guard let type = parameters.uint8(at: typeOffset), let length = parameters.uint8(at: lengthOffset),
        let address = BluetoothAddress(
          littleEndian: parameters, at: typeOffset + 1, kind: type & 1 == 0 ? .publicDevice : .random),
        parameters.byteCount >= lengthOffset + 1 + Int(length)
      else { return }
      body(address, parameters.extracting(lengthOffset + 1..<lengthOffset + 1 + Int(length)))
      // A legacy report has one more byte, the RSSI, at its end.
      offset = lengthOffset + 1 + Int(length) + (isExtended ? 0 : 1)
    }
  }

  /// Returns the complete local name, or the shortened one (Core Specification Supplement, Part A, §1.2).
  static func localName(in data: RawSpan) -> String? {
    var offset = 0
    var shortened: String?
    while let length = data.uint8(at: offset), length > 0, data.byteCount >= offset + 1 + Int(length) {
      let type = data.uint8(at: offset + 1)
      if type == 0x08 || type == 0x09 {
        let text = String(
          validating: data.extracting(offset + 2..<offset + 1 + Int(length)).copiedBytes(), as: UTF8.self)
        if type == 0x09, let text { return text }
        shortened = text
      }
      offset += 1 + Int(length)
    }
    return shortened
  }
}
