import Foundation
import HealthStorage

extension SampleDatabase {
  static func open(at path: String) throws -> SampleDatabase { try open(at: path, .ofTests) }
  static func inMemory() throws -> SampleDatabase { try inMemory(.ofTests) }
}

extension Interpretation {
  /// The interpretation of conditions in tests. A condition is a number of bytes: metadata matches if it has
  /// as many values, and an archive matches if it has as many bytes.
  static let ofTests = Interpretation(
    metadataSatisfy: { values, condition in values.count == condition.bytes.count },
    archiveSatisfies: { archive, condition in archive.count == condition.bytes.count },
    containerSatisfies: { archive, _, condition in archive.count == condition.bytes.count })
}

/// Creates a temporary directory and deletes it afterwards.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  try await body(directory)
}

func provenance(source: String = "s", device: DeviceRecord? = nil) -> Provenance {
  Provenance(
    revision: SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: source, name: source), version: nil, productType: nil,
      operatingSystem: "1.0.0"),
    device: device)
}

func record(
  _ value: Double, at start: Int64, lasting duration: Int64 = 0, type: String = "t", uuid: UUID = UUID(),
  from provenance: Provenance = provenance(), metadata: EncodedMetadata? = nil
) -> SampleRecord {
  SampleRecord(
    uuid: uuid, type: type, start: start, end: start + duration, provenance: provenance, metadata: metadata,
    content: .quantity(value: value, unit: "u"))
}

extension SampleRecord {
  var value: Double? {
    guard case .quantity(let value, _) = content else { return nil }
    return value
  }
}
