import HealthKit
import HealthStorage

/// The text of a device in an export: `<<HKDevice: 0x282d03020>, name:Apple Watch, manufacturer:Apple Inc.,
/// model:Watch, hardware:Watch6,1, software:9.1>`.
enum DeviceText {
  /// The labels of the fields in Apple's order. A text is split at these labels, because values may contain
  /// commas and colons.
  private static let labels = HKDevice.properties.map {
    $0.field == .udiDeviceIdentifier ? "UDIDeviceIdentifier" : $0.label
  }

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
    // The text contains the pairing date, which `HKDevice` does not have.
    for label in labels + ["creation date"] {
      guard let found = body[from...].firstRange(of: ", \(label):") else { continue }
      starts.append((label, found.lowerBound, found.upperBound))
      from = found.upperBound
    }
    var fields: [String: String] = [:]
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].place : body.endIndex
      fields[start.label] = String(body[start.value..<end])
    }
    fields["creation date"] = nil
    return fields.isEmpty ? nil : device(fields)
  }

  /// Creates a device.
  /// - Parameter fields: Values by label. Unknown labels are ignored.
  static func device(_ fields: [String: String]) -> HKDevice {
    var record = DeviceRecord()
    for (label, property) in zip(labels, HKDevice.properties) { record[property.field] = fields[label] }
    return HKDevice(record)
  }

  static func text(_ device: HKDevice) -> String {
    // The text must contain a memory address, because programs that read exports expect it. Its value has no
    // meaning.
    "<<HKDevice: 0x0>\(fields(device).map { ", \($0):\($1)" }.joined())>"
  }

  /// Returns the labels and values of a device's properties.
  static func fields(_ device: HKDevice) -> [(label: String, value: String)] {
    zip(labels, HKDevice.properties).compactMap { label, property in
      device.record[property.field].map { (label, $0) }
    }
  }
}
