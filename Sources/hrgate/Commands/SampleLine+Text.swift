import HealthKit
import SyncFiles

extension SampleLine {
  static let csvHeading = CSVText.line([
    "uuid", "type", "start", "end", "value", "unit", "beats", "sourceName", "sourceBundleIdentifier",
    "deviceName",
    "deviceManufacturer", "deviceModel", "deviceHardwareVersion", "deviceFirmwareVersion",
    "deviceSoftwareVersion",
    "deviceLocalIdentifier", "metadata",
  ])

  /// The fields of ``csvHeading``. Beats are offsets with a space between; one that a gap precedes has `|`
  /// before it.
  var csv: String {
    get throws {
      CSVText.line([
        uuid, type, start, end, value.map { "\($0)" } ?? "", unit ?? "", beatText, source.name,
        source.bundleIdentifier, device?.name ?? "", device?.manufacturer ?? "", device?.model ?? "",
        device?.hardwareVersion ?? "", device?.firmwareVersion ?? "", device?.softwareVersion ?? "",
        device?.localIdentifier ?? "", try JSONLine.text(metadata),
      ])
    }
  }

  /// A line for a person.
  var text: String {
    let what =
      if let beats {
        "\(Counted.text(beats.count, "beat")) in \(beats.last?.offset ?? 0) s"
      } else {
        "\(value ?? 0) \(unit ?? "")"
      }
    return "\(start)  \(type)  \(what)  \(source.name.plain)"
  }

  private var beatText: String {
    (beats ?? []).map { ($0.precededByGap ? "|" : "") + "\($0.offset)" }.joined(separator: " ")
  }
}
