import HealthKit

/// A device as an export states it:
/// `<<HKDevice: 0x282d03020>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1,
/// software:9.1>`.
enum DeviceText {
  /// In Apple's order. A value may hold commas and colons; a field begins at its label.
  private static let labels = [
    "name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier",
    "UDIDeviceIdentifier", "creation date",
  ]

  /// - Returns: nil for a text that is no device's, or that says nothing of one.
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
    // When the phone met the device says nothing of what measured.
    fields["creation date"] = nil
    return fields.isEmpty ? nil : device(fields)
  }

  /// - Parameter fields: values by their labels; others are passed over.
  static func device(_ fields: [String: String]) -> HKDevice {
    HKDevice(
      name: fields["name"], manufacturer: fields["manufacturer"], model: fields["model"],
      hardwareVersion: fields["hardware"], firmwareVersion: fields["firmware"],
      softwareVersion: fields["software"], localIdentifier: fields["localIdentifier"],
      udiDeviceIdentifier: fields["UDIDeviceIdentifier"])
  }

  static func text(_ device: HKDevice) -> String {
    // Where it lay in the phone's memory means nothing; the place is kept for programs that read it.
    "<<HKDevice: 0x0>\(fields(device).map { ", \($0):\($1)" }.joined())>"
  }

  /// What it says, by its label.
  static func fields(_ device: HKDevice) -> [(label: String, value: String)] {
    let values = [
      device.name, device.manufacturer, device.model, device.hardwareVersion, device.firmwareVersion,
      device.softwareVersion, device.localIdentifier, device.udiDeviceIdentifier,
    ]
    return zip(labels, values).compactMap { label, value in value.map { (label, $0) } }
  }
}
