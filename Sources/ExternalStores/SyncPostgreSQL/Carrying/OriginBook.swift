import Foundation
import HealthKit

/// Knows the rows of `hrgate.origin` that were needed so far, and makes those that are missing, each in
/// a transaction of its own: what a page needs is there before the page's begins, and stays when that fails.
final class OriginBook {
  /// Where a sample's own columns refer to, and what it keeps itself.
  struct Placement {
    let origin: Int32
    /// JSON, where it is this sample's own.
    let metadata: [UInt8]?
  }

  /// The objects that samples share when they were read together.
  private struct SharedObjects: Hashable {
    /// Kept, so that no other object gets the address of one. The sample is not: it may hold thousands of
    /// beats.
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

  /// So many are remembered, and so many get a row of their own before a run keeps further metadata with the
  /// samples: metadata that never repeats would make a row for each sample.
  private static let most = 4096
  /// Metadata with these is each sample's own.
  private static let ownKeys = [HKMetadataKeySyncIdentifier, HKMetadataKeyExternalUUID]

  private let connection: Connection
  private let person: String
  private var placements: [SharedObjects: Placement] = [:]
  private var last: (objects: SharedObjects, placement: Placement)?
  private var numbers: [Origin: Int32] = [:]

  /// The server's encoding, as `LATIN1`.
  private let encoding: String

  init(_ connection: Connection, person: String, encoding: String) {
    self.connection = connection
    self.person = person
    self.encoding = encoding
  }

  /// - Throws: `RecordFlaw`, `DatabaseFailure`.
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
    // Another gateway may make the same row between the statement's two looks at the table.
    for _ in 0..<3 {
      if let number = try rowNumber(origin) {
        if numbers.count >= 2 * Self.most { numbers.removeAll(keepingCapacity: true) }
        numbers[origin] = Int32(number)
        return Int32(number)
      }
    }
    throw DatabaseFailure.server(ServerError(state: "40001"))
  }

  private func rowNumber(_ origin: Origin) throws -> Int? {
    do {
      return try connection.perform(Self.statement, [person] + origin.columns).number
    } catch DatabaseFailure.server(let error) where error.isAboutRows {
      throw error.isAboutEncoding ? RecordFlaw.encoding(encoding) : RecordFlaw.origin(error)
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
