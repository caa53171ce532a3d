import Foundation
import HealthKit

/// Finds or creates the rows of `hrgate.origin`, and caches their IDs. Such a row contains values that many
/// samples share: type, source, device and metadata.
///
/// Each row is created in its own transaction. It therefore exists before the transaction that inserts the
/// samples begins, and remains if that transaction fails.
final class OriginBook {
  /// The `hrgate.origin` row of a sample, and the metadata that is stored with the sample itself.
  struct Placement {
    let origin: Int32
    /// The metadata as JSON, if it is not stored in the origin.
    let metadata: [UInt8]?
  }

  /// The objects in a sample by which the cache finds its origin. Samples that were read together share them.
  private struct SharedObjects: Hashable {
    /// The objects. The cache retains them, so that no new object gets the address of a freed one. The
    /// sample, which may have thousands of beats, is not retained.
    private let objects: [AnyObject?]

    init(_ sample: HKSample) {
      objects = [
        sample.sampleType, (sample as? HKQuantitySample)?.quantity.unit, sample.sourceRevision, sample.device,
        sample.objectMetadata,
      ]
    }

    static func == (left: Self, right: Self) -> Bool {
      left.objects.elementsEqual(right.objects) { $0 === $1 }
    }

    func hash(into hasher: inout Hasher) {
      for object in objects { hasher.combine(object.map(ObjectIdentifier.init)) }
    }
  }

  /// Maximum number of cached entries. It is also the maximum number of `hrgate.origin` rows created for
  /// different metadata; further metadata is stored with the samples. Otherwise, metadata that never repeats
  /// would create a row for each sample.
  private static let most = 4096
  /// Metadata keys whose values differ for each sample. Metadata with one of them is stored with the sample.
  private static let ownKeys = [HKMetadataKeySyncIdentifier, HKMetadataKeyExternalUUID]

  private let connection: Connection
  private let person: String
  private var placements: [SharedObjects: Placement] = [:]
  private var last: (objects: SharedObjects, placement: Placement)?
  private var numbers: [Origin: Int32] = [:]

  /// The encoding of the database, such as `LATIN1`.
  private let encoding: String

  init(_ connection: Connection, person: String, encoding: String) {
    self.connection = connection
    self.person = person
    self.encoding = encoding
  }

  /// Returns the `hrgate.origin` row of a sample, and the metadata to store with the sample itself.
  ///
  /// - Throws: `RecordError`, `PostgreSQLError`.
  func placement(of sample: HKSample) throws -> Placement {
    let objects = SharedObjects(sample)
    if let last, last.objects == objects { return last.placement }
    let placement = try placements[objects] ?? newPlacement(of: sample, objects)
    last = (objects, placement)
    return placement
  }

  private func newPlacement(of sample: HKSample, _ objects: SharedObjects) throws -> Placement {
    let metadata = try sample.metadata.map { try JSONWriter.metadata($0) }
    let shared = try Origin(of: sample, metadata: metadata)
    let staysWithSample = metadata != nil && numbers[shared] == nil && isOwn(sample)
    let origin = staysWithSample ? try Origin(of: sample, metadata: nil) : shared
    let placement = Placement(
      origin: try number(of: origin), metadata: staysWithSample ? metadata : nil)
    if placements.count >= Self.most { placements.removeAll(keepingCapacity: true) }
    placements[objects] = placement
    return placement
  }

  private func isOwn(_ sample: HKSample) -> Bool {
    guard numbers.count < Self.most else { return true }
    return sample.metadata.map { metadata in Self.ownKeys.contains { metadata[$0] != nil } } ?? false
  }

  private func number(of origin: Origin) throws -> Int32 {
    if let known = numbers[origin] { return known }
    // If another gateway inserts the same row while the statement runs, the statement returns no row. Retry
    // in that case.
    for _ in 0..<3 {
      if let number = try rowNumber(origin) {
        if numbers.count >= 2 * Self.most { numbers.removeAll(keepingCapacity: true) }
        numbers[origin] = Int32(number)
        return Int32(number)
      }
    }
    throw PostgreSQLError.server(ServerError(state: "40001"))
  }

  private func rowNumber(_ origin: Origin) throws -> Int? {
    do {
      return try connection.perform(Self.statement, [person] + origin.columns).number
    } catch PostgreSQLError.server(let error) where error.isAboutRows {
      throw error.isAboutEncoding ? RecordError.encoding(encoding) : RecordError.origin(error)
    }
  }

  private static let statement = """
    WITH given AS (
      SELECT $1::text AS person, $2::text AS type, $3::text AS unit, $4::text AS source,
        $5::text AS source_name, $6::text AS source_version, $7::text AS product_type,
        $8::text AS operating_system, $9::text AS device, $10::jsonb AS device_details,
        $11::jsonb AS metadata),
    keyed AS (
      SELECT sha256(convert_to(to_jsonb(given)::text, 'UTF8')) AS digest, given.* FROM given),
    made AS (
      INSERT INTO hrgate.origin (digest, person, type, unit, source, source_name, source_version,
        product_type, operating_system, device, device_details, metadata)
      SELECT * FROM keyed WHERE NOT EXISTS (SELECT FROM hrgate.origin o WHERE o.digest = keyed.digest)
      ON CONFLICT (digest) DO NOTHING
      RETURNING id)
    SELECT id FROM made UNION ALL SELECT o.id FROM hrgate.origin o JOIN keyed USING (digest)
    """
}

/// The values that many samples share: a row of `hrgate.origin`. The properties are in the order of its
/// columns.
struct Origin: Hashable {
  let type: String
  let unit: String?
  let source: String
  let sourceName: String
  let sourceVersion: String?
  let productType: String?
  let operatingSystem: String?
  let device: String?
  let deviceDetails: String?
  let metadata: String?

  /// Creates the row for a sample.
  ///
  /// - Parameter metadata: The metadata as JSON, or `nil` if it is stored with the sample.
  init(of sample: HKSample, metadata: [UInt8]?) throws(RecordError) {
    let revision = sample.sourceRevision
    type = sample.sampleType.identifier
    unit = (sample as? HKQuantitySample)?.quantity.unit.unitString
    source = revision.source.bundleIdentifier
    sourceName = revision.source.name
    sourceVersion = revision.version
    productType = revision.productType
    let system = revision.operatingSystemVersion
    operatingSystem =
      system.majorVersion == 0
      ? nil : "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    device = sample.device.flatMap { $0.name ?? $0.model ?? $0.manufacturer ?? $0.localIdentifier }
    deviceDetails = try sample.device.map { device throws(RecordError) in
      // The same names as in `hrgate export`.
      String(decoding: try JSONWriter.texts(device.values), as: UTF8.self)
    }
    self.metadata = metadata.map { String(decoding: $0, as: UTF8.self) }
    guard !columns.contains(where: { $0?.utf8.contains(0) ?? false }) else { throw .text }
  }

  var columns: [String?] {
    [
      type, unit, source, sourceName, sourceVersion, productType, operatingSystem, device, deviceDetails,
      metadata,
    ]
  }
}
