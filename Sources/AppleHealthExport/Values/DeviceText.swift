import HealthKit

/// The text of a device in an export: `<<HKDevice: 0x282d03020>, name:Apple Watch, manufacturer:Apple Inc.,
/// model:Watch, hardware:Watch6,1, software:9.1>`.
enum DeviceText {
  /// The labels of the fields in Apple's order. A text is split at these labels, because values may contain
  /// commas and colons.
  private static let labels = [
    "name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier",
    "UDIDeviceIdentifier", "creation date",
  ]

  /// Parses a device.
  ///
  /// - Returns: `nil` if the text is not a device or contains no fields.
  static func parse(_ text: String) -> HKDevice? {
    guard text.hasPrefix("<<HKDevice"), text.hasSuffix(">"), let head = text.firstIndex(of: ">") else {
      return nil
    }
    let body = text[text.index(after: head)...].dropLast()
    var starts: [(label: String, place: String.Index, value: String.Index)] = []
    var from = body.startIndex
    for label in labels {
      guard let found = body[from...].firstRange(of: ", \(label):") else { continue }
      starts.append((label, found.lowerBound, found.upperBound))
      from = found.upperBound
    }
    var fields: [String: String] = [:]
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].place : body.endIndex
      fields[start.label] = String(body[start.value..<end])
    }
    // The text contains the pairing date, which `HKDevice` does not have.
    fields["creation date"] = nil
    return fields.isEmpty ? nil : device(fields)
  }

  /// Creates a device.
  /// - Parameter fields: Values by label. Unknown labels are ignored.
  static func device(_ fields: [String: String]) -> HKDevice {
    HKDevice(
      name: fields["name"], manufacturer: fields["manufacturer"], model: fields["model"],
      hardwareVersion: fields["hardware"], firmwareVersion: fields["firmware"],
      softwareVersion: fields["software"], localIdentifier: fields["localIdentifier"],
      udiDeviceIdentifier: fields["UDIDeviceIdentifier"])
  }

  static func text(_ device: HKDevice) -> String {
    // The text must contain a memory address, because programs that read exports expect it. Its value has no
    // meaning.
    "<<HKDevice: 0x0>\(fields(device).map { ", \($0):\($1)" }.joined())>"
  }

  /// Returns the labels and values of a device's properties.
  static func fields(_ device: HKDevice) -> [(label: String, value: String)] {
    let values = [
      device.name, device.manufacturer, device.model, device.hardwareVersion, device.firmwareVersion,
      device.softwareVersion, device.localIdentifier, device.udiDeviceIdentifier,
    ]
    return zip(labels, values).compactMap { label, value in value.map { (label, $0) } }
  }
}
