public import Foundation
import HealthStorage

/// A set of samples that belong together, such as the two values of a blood pressure.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKCorrelation: HKSample, @unchecked Sendable {
  public let correlationType: HKCorrelationType
  /// The quantity and category samples of the correlation; at least one.
  public let objects: Set<HKSample>

  init(
    _ type: HKCorrelationType, _ objects: Set<HKSample>, _ interval: SampleInterval, _ origin: ObjectOrigin
  ) {
    correlationType = type
    self.objects = objects
    super.init(type, interval, origin)
  }

  /// Returns the samples of the given type.
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

// MARK: - Creating correlations

extension HKCorrelation {
  /// Returns a new correlation after checking values that come from outside the program.
  ///
  /// ```swift
  /// let pressure = try HKCorrelation.validated(
  ///   type: HKCorrelationType(.bloodPressure), start: start, end: end, objects: [systolic, diastolic])
  /// ```
  ///
  /// - Throws: `HKValidationError` if there are no objects, the type cannot contain one of them, the end is
  ///   before the start, or the metadata is invalid.
  public class func validated(
    type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKCorrelation {
    try check(objects, type)
    let origin = try ObjectOrigin(device: device, metadata: metadata)
    return HKCorrelation(type, objects, try SampleInterval(start: start, end: end, of: type), origin)
  }

  /// Creates a correlation with the given UUID and metadata that has already been checked.
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
        throw HKValidationError("a correlation has quantity and category samples, not \(object.sampleType)")
      }
      guard admits(object.sampleType, type) else {
        throw HKValidationError("\(type) cannot contain samples of type \(object.sampleType)")
      }
    }
  }

  /// Returns whether a correlation type can contain samples of a type. A blood pressure contains the systolic
  /// and diastolic pressure, and food contains dietary types.
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
  /// The types of the samples that correlations of this type can contain.
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

  /// Creates a correlation.
  /// - Parameters:
  ///   - objects: At least one sample. All must be quantity or category samples of types that the correlation
  ///     type can contain.
  ///   - start: Must not be after `end`.
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

// MARK: - Type

/// The type of samples that contain other samples, such as the two values of a blood pressure.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKCorrelationType: HKSampleType, @unchecked Sendable {}

extension HKInitializable where Self: HKCorrelationType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `correlationType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKCorrelationTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCorrelationType.self))
  }
}

// MARK: - Predicates

extension HKQuery {
  /// Returns a predicate for samples that are not part of a correlation. Only a query can use it: `evaluate`
  /// cannot know whether a sample is part of a correlation.
  public class func predicateForObjectsWithNoCorrelation() -> NSPredicate {
    FilterPredicate(.not(.held(byTypes: Set(HKCorrelationTypeIdentifier.all.map(\.rawValue)))))
  }
}
