import HealthStorage

/// Objects on their way to the store, as records.
///
/// Samples of one monitor share their type and device: those of the sample before are taken again without
/// looking.
struct RecordBatch {
  private(set) var records: [SampleRecord] = []
  /// What is saved. Not correlations: who may save what they hold may save them.
  private(set) var types: Set<HKSampleType> = []
  private var revision: SourceRevisionRecord
  private var lastType: HKSampleType?
  private var lastDevice: HKDevice?
  private var provenance: Provenance
  private var provenances: [HKDevice: Provenance] = [:]
  private var withoutDevice: Provenance
  private let keepsDevices: Bool

  /// - Parameter keepsDevices: whether the samples keep what they say of their devices.
  init(_ revision: HKSourceRevision, capacity: Int, keepsDevices: Bool = true) {
    self.keepsDevices = keepsDevices
    records.reserveCapacity(capacity)
    self.revision = revision.record
    withoutDevice = Provenance(revision: revision.record, device: nil)
    provenance = withoutDevice
  }

  /// What is appended from now on was recorded by another source.
  mutating func change(to revision: HKSourceRevision) {
    self.revision = revision.record
    withoutDevice = Provenance(revision: self.revision, device: nil)
    provenances = [:]
    changeDevice(to: nil)
  }

  /// - Throws: errorInvalidArgument for an object that cannot be saved.
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

  /// A correlation's is the samples that it holds, which are saved with it.
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
