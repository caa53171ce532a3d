import Foundation
import HealthStorage

/// Creates objects from stored records. Objects with equal types, units, sources, devices or metadata share
/// one instance of them.
struct SampleAssembly {
  private let documents: DocumentDetail
  private var types: [String: HKQuantityType] = [:]
  private var units: [String: HKUnit] = [:]
  private var origins: [ObjectIdentifier: (provenance: Provenance, HKSourceRevision, HKDevice?)] = [:]
  private var metadata: (encoded: EncodedMetadata, value: ObjectMetadata)?

  init(documents: DocumentDetail = .none) {
    self.documents = documents
  }

  /// Creates the sample of a record.
  /// - Throws: `HKError` unknownError if the type or unit is unknown because a newer version wrote it.
  mutating func sample(_ record: SampleRecord) throws -> HKSample {
    let (revision, device) = provenance(record.provenance)
    let origin = ObjectOrigin(
      uuid: record.uuid, device: device, metadata: record.metadata.map { objectMetadata($0) },
      revision: revision)
    let interval = SampleInterval(startMicroseconds: record.start, endMicroseconds: record.end)
    switch record.content {
    case .quantity(let value, let symbol):
      let type = try quantityType(record.type)
      return HKQuantitySample.make(
        type, HKQuantity(unit: try unit(symbol), doubleValue: value), interval, origin)
    case .quantitySeries(let series):
      let quantity = HKQuantity(unit: try unit(series.unit), doubleValue: series.value)
      return HKQuantitySample.make(try quantityType(record.type), quantity, interval, origin, series: series)
    case .heartbeatSeries(let count, let beats):
      return HKHeartbeatSeriesSample(count: count, beats: beats, interval, origin)
    case .category(let value):
      return HKCategorySample(try categoryType(record.type), value: value, interval, origin)
    case .correlation(let members):
      guard let type = ObjectTypes.type(record.type) as? HKCorrelationType else {
        throw HKError(
          .unknownError,
          reason: "the store has a sample of the unknown correlation type \(record.type); update this program"
        )
      }
      return HKCorrelation(type, Set(try members.map { try sample($0) }), interval, origin)
    case .locationSeries(let count, let locations):
      return HKWorkoutRoute(count: count, locations: locations, interval, origin)
    case .archive(let archive), .recording(let archive, _):
      return try unarchived(archive, record, revision)
    case .container(let archive, let quantities):
      let sample = try unarchived(archive, record, revision)
      (sample as? HKWorkout)?.take(WorkoutQuantities(quantities))
      return sample
    }
  }

  private func unarchived(
    _ archive: [UInt8], _ record: SampleRecord, _ revision: HKSourceRevision
  ) throws -> HKSample {
    let sample = try ArchivedClasses.unarchive(HKSample.self, from: Data(archive))
    guard sample.uuid == record.uuid, sample.sampleType.identifier == record.type else {
      throw HKError(
        .unknownError,
        reason:
          "the stored archive of a sample of type \(record.type) belongs to another sample; restore a backup")
    }
    let detailed = (sample as? HKCDADocumentSample)?.reduced(to: documents) ?? sample
    detailed.stamp(revision)
    return detailed
  }

  private func categoryType(_ identifier: String) throws(HKError) -> HKCategoryType {
    guard let type = ObjectTypes.type(identifier) as? HKCategoryType else {
      throw HKError(
        .unknownError,
        reason: "the store has a sample of the unknown category type \(identifier); update this program")
    }
    return type
  }

  private mutating func provenance(_ provenance: Provenance) -> (HKSourceRevision, HKDevice?) {
    let key = ObjectIdentifier(provenance)
    if let (_, revision, device) = origins[key] { return (revision, device) }
    let revision = HKSourceRevision(provenance.revision)
    let device = provenance.device.map { HKDevice($0) }
    // Keep a reference to the provenance object, because the key is its address, which must not be reused.
    origins[key] = (provenance, revision, device)
    return (revision, device)
  }

  private mutating func objectMetadata(_ encoded: EncodedMetadata) -> ObjectMetadata {
    if let metadata, metadata.encoded === encoded { return metadata.value }
    let value = ObjectMetadata(encoded)
    metadata = (encoded, value)
    return value
  }

  private mutating func quantityType(_ identifier: String) throws(HKError) -> HKQuantityType {
    if let known = types[identifier] { return known }
    let type = HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: identifier))
    guard let type else {
      throw HKError(
        .unknownError,
        reason: "the store has a sample of the unknown quantity type \(identifier); update this program")
    }
    types[identifier] = type
    return type
  }

  mutating func unit(_ symbol: String) throws(HKError) -> HKUnit {
    if let known = units[symbol] { return known }
    do {
      let unit = try HKUnit.validated(from: symbol)
      units[symbol] = unit
      return unit
    } catch {
      throw HKError(.unknownError, reason: error.description)
    }
  }
}
