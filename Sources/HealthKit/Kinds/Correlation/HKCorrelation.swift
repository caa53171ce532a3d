public import Foundation

/// Samples that belong together, such as the two values of a blood pressure.
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKCorrelation: HKSample, @unchecked Sendable {
  public let correlationType: HKCorrelationType
  /// Quantity and category samples, at least one.
  public let objects: Set<HKSample>

  init(
    _ type: HKCorrelationType, _ objects: Set<HKSample>, _ interval: SampleInterval, _ origin: ObjectOrigin
  ) {
    correlationType = type
    self.objects = objects
    super.init(type, interval, origin)
  }

  /// Those of the samples that are of a type.
  public func objects(for objectType: HKObjectType) -> Set<HKSample> {
    objects.filter { $0.sampleType == objectType }
  }

  override func stamp(_ revision: HKSourceRevision) {
    super.stamp(revision)
    for object in objects { object.stamp(revision) }
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(objects.sorted { $0.uuid < $1.uuid } as NSArray, forKey: ArchiveKey.objects)
  }

  public required init?(coder: NSCoder) {
    guard let type = HKSample.type(from: coder) as? HKCorrelationType,
      let objects = coder.objects([HKQuantitySample.self, HKCategorySample.self], forKey: ArchiveKey.objects)
    else { return nil }
    correlationType = type
    self.objects = Set(objects.compactMap { $0 as? HKSample })
    guard (try? Self.check(self.objects, type)) != nil else { return nil }
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let objects = "objects"
  }
}

// MARK: - Making correlations

extension HKCorrelation {
  /// A new correlation, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKCorrelation {
    try check(objects, type)
    let origin = try ObjectOrigin(device: device, metadata: metadata)
    return HKCorrelation(type, objects, try SampleInterval(start: start, end: end, of: type), origin)
  }

  /// With a UUID of the caller's and metadata that is already checked.
  package static func make(
    uuid: UUID, type: HKCorrelationType, objects: Set<HKSample>, start: Date, end: Date, device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKCorrelation {
    try check(objects, type)
    return HKCorrelation(
      type, objects, try SampleInterval(start: start, end: end, of: type),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  fileprivate static func check(
    _ objects: Set<HKSample>, _ type: HKCorrelationType
  ) throws(HKValidationError) {
    guard !objects.isEmpty else { throw HKValidationError("a correlation needs at least one sample") }
    for object in objects {
      guard object is HKQuantitySample || object is HKCategorySample else {
        throw HKValidationError("a correlation holds quantity and category samples, not \(object.sampleType)")
      }
      guard admits(object.sampleType, type) else {
        throw HKValidationError("\(type) does not hold samples of type \(object.sampleType)")
      }
    }
  }

  /// A blood pressure holds its two values, a food what the diet types count.
  fileprivate static func admits(_ member: HKSampleType, _ type: HKCorrelationType) -> Bool {
    switch type.identifier {
    case HKCorrelationTypeIdentifier.bloodPressure.rawValue: bloodPressure.contains(member.identifier)
    case HKCorrelationTypeIdentifier.food.rawValue: member.identifier.hasPrefix(dietary)
    default: true
    }
  }

  private static let bloodPressure: Set<String> = [
    HKQuantityTypeIdentifier.bloodPressureSystolic.rawValue,
    HKQuantityTypeIdentifier.bloodPressureDiastolic.rawValue,
  ]

  private static let dietary = "HKQuantityTypeIdentifierDietary"
}

extension HKCorrelationType {
  /// The types of the samples that correlations of this type may hold.
  var memberTypes: [HKSampleType] { Self.memberTypes[identifier] ?? [] }

  private static let memberTypes: [String: [HKSampleType]] = Dictionary(
    uniqueKeysWithValues: ObjectTypes.all.compactMap { $0 as? HKCorrelationType }.map { type in
      (type.identifier, HKSampleType.known.filter { HKCorrelation.admits($0, type) })
    })
}

extension HKCorrelation {
  private convenience init(as other: HKCorrelation) {
    self.init(other.correlationType, other.objects, other.interval, other.origin)
  }

  /// - Parameters:
  ///   - objects: quantity and category samples that the type holds, at least one.
  ///   - start: not after `end`.
  public convenience init(
    type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>, device: HKDevice?,
    metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKCorrelation.validated(
          type: type, start: start, end: end, objects: objects, device: device, metadata: metadata)))
  }

  public convenience init(
    type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>, metadata: [String: Any]?
  ) {
    self.init(type: type, start: start, end: end, objects: objects, device: nil, metadata: metadata)
  }

  public convenience init(type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>) {
    self.init(type: type, start: start, end: end, objects: objects, device: nil, metadata: nil)
  }
}
