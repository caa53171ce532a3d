import Foundation
import HealthStorage

/// The stored form of objects that are about to be saved.
///
/// Consecutive samples from a monitor have the same type and device, so the converted type and device of the
/// previous sample are reused.
struct RecordBatch {
  private(set) var records: [SampleRecord] = []
  /// The types for which permission to save is needed. Correlations are not included, because permission to
  /// save their samples is enough.
  private(set) var types: Set<HKSampleType> = []
  private var revision: SourceRevisionRecord
  private var lastType: HKSampleType?
  private var lastDevice: HKDevice?
  private var provenance: Provenance
  private var provenances: [HKDevice: Provenance] = [:]
  private var withoutDevice: Provenance
  private let keepsDevices: Bool

  /// Creates an empty batch.
  /// - Parameter keepsDevices: Whether the records include the devices of the samples.
  init(_ revision: HKSourceRevision, capacity: Int, keepsDevices: Bool = true) {
    self.keepsDevices = keepsDevices
    records.reserveCapacity(capacity)
    self.revision = revision.record
    withoutDevice = Provenance(revision: revision.record, device: nil)
    provenance = withoutDevice
  }

  /// Sets the source revision for the objects that are appended from now on.
  mutating func change(to revision: HKSourceRevision) {
    self.revision = revision.record
    withoutDevice = Provenance(revision: self.revision, device: nil)
    provenances = [:]
    changeDevice(to: nil)
  }

  /// Appends the record of an object.
  /// - Throws: `HKError` errorInvalidArgument if the object cannot be saved.
  mutating func append(_ object: HKObject) throws(HKError) {
    records.append(try record(object))
  }

  private mutating func record(_ object: HKObject) throws(HKError) -> SampleRecord {
    guard let sample = object as? HKSample, let content = try content(of: sample) else {
      throw HKError(.errorInvalidArgument, reason: "\(type(of: object)) cannot be saved")
    }
    if sample.sampleType !== lastType, !(sample is HKCorrelation) {
      types.insert(sample.sampleType)
      lastType = sample.sampleType
    }
    if sample.device !== lastDevice { changeDevice(to: sample.device) }
    return SampleRecord(
      uuid: sample.uuid, type: sample.sampleType.identifier, start: sample.interval.startMicroseconds,
      end: sample.interval.endMicroseconds, provenance: provenance,
      metadata: sample.objectMetadata?.encoded,
      content: content)
  }

  /// Returns the content of a sample. The content of a correlation is the records of its samples, which are
  /// saved with it.
  private mutating func content(of sample: HKSample) throws(HKError) -> SampleRecord.Content? {
    guard let correlation = sample as? HKCorrelation else { return sample.content }
    var members: [SampleRecord] = []
    for member in correlation.objects.sorted(by: { $0.uuid < $1.uuid }) { members.append(try record(member)) }
    return .correlation(members)
  }

  private mutating func changeDevice(to device: HKDevice?) {
    lastDevice = device
    guard let device, keepsDevices else {
      provenance = withoutDevice
      return
    }
    provenance = provenances[device] ?? Provenance(revision: revision, device: device.record)
    provenances[device] = provenance
  }
}

/// Objects with these UUIDs are already stored or occur twice. Nothing was saved.
package struct DuplicateObjectsError: Error, Hashable, Sendable {
  package let uuids: [UUID]

  package init(uuids: [UUID]) {
    self.uuids = uuids
  }
}
