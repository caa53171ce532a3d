public import Foundation

/// A feeling that a person logged: a daily mood or a momentary emotion.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKStateOfMind: HKSample, NSCopying, @unchecked Sendable {
  fileprivate let feeling: Feeling

  init(_ feeling: Feeling, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.feeling = feeling
    super.init(ObjectTypes.stateOfMind, interval, origin)
  }

  public var kind: Kind { feeling.kind }
  /// The pleasantness, from −1 to 1.
  public var valence: Double { feeling.valence }
  /// The classification of the valence.
  public var valenceClassification: ValenceClassification { feeling.classification }
  /// Labels for the feeling; may be empty.
  public var labels: [Label] { feeling.labels }
  /// The circumstances associated with the feeling; may be empty.
  public var associations: [Association] { feeling.associations }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(kind.rawValue, forKey: ArchiveKey.kind)
    coder.encode(valence, forKey: ArchiveKey.valence)
    coder.encodeValues(labels, forKey: ArchiveKey.labels)
    coder.encodeValues(associations, forKey: ArchiveKey.associations)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == ObjectTypes.stateOfMind,
      let kind = coder.value(Kind.self, forKey: ArchiveKey.kind),
      let valence = coder.real(forKey: ArchiveKey.valence),
      let labels = coder.values(Label.self, forKey: ArchiveKey.labels),
      let associations = coder.values(Association.self, forKey: ArchiveKey.associations),
      let feeling = try? Feeling(kind: kind, valence: valence, labels: labels, associations: associations)
    else { return nil }
    self.feeling = feeling
    super.init(coder: coder)
    guard startDate == endDate else { return nil }
  }

  private enum ArchiveKey {
    static let kind = "kind"
    static let valence = "valence"
    static let labels = "labels"
    static let associations = "associations"
  }
}

// MARK: - Creating states of mind

extension HKStateOfMind {
  /// The properties of a state of mind, after validation.
  struct Feeling: Sendable {
    let kind: Kind
    let valence: Double
    let classification: ValenceClassification
    let labels: [Label]
    let associations: [Association]

    init(
      kind: Kind, valence: Double, labels: [Label], associations: [Association]
    ) throws(HKValidationError) {
      guard let classification = ValenceClassification(valence: valence) else {
        throw HKValidationError("a valence must be between -1 and 1")
      }
      self.kind = kind
      self.valence = valence
      self.classification = classification
      self.labels = labels
      self.associations = associations
    }
  }

  /// Returns a new state of mind after checking values that come from outside the program.
  ///
  /// ```swift
  /// let mood = try HKStateOfMind.validated(
  ///   date: .now, kind: .momentaryEmotion, valence: 0.5, labels: [.calm], associations: [.hobbies])
  /// ```
  ///
  /// - Throws: `HKValidationError` if the valence is not between −1 and 1, or the metadata is invalid.
  public class func validated(
    date: Date, kind: Kind, valence: Double, labels: [Label], associations: [Association],
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKStateOfMind {
    let feeling = try Feeling(kind: kind, valence: valence, labels: labels, associations: associations)
    let interval = try SampleInterval(start: date, end: date, of: ObjectTypes.stateOfMind)
    return HKStateOfMind(feeling, interval, try ObjectOrigin(device: nil, metadata: metadata))
  }
}

extension HKStateOfMind {
  private convenience init(as other: HKStateOfMind) {
    self.init(other.feeling, other.interval, other.origin)
  }

  /// Creates a state of mind.
  /// - Parameters:
  ///   - date: The start and end of the sample.
  ///   - valence: From −1 (very unpleasant) to 1 (very pleasant).
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  public convenience init(
    date: Date, kind: HKStateOfMind.Kind, valence: Double, labels: [HKStateOfMind.Label],
    associations: [HKStateOfMind.Association], metadata: [String: Any]? = nil
  ) {
    self.init(
      as: requiring(
        try HKStateOfMind.validated(
          date: date, kind: kind, valence: valence, labels: labels, associations: associations,
          metadata: metadata)))
  }
}

/// The type of states of mind.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKStateOfMindType: HKSampleType, @unchecked Sendable {}

extension HKStateOfMind.ValenceClassification {
  /// Creates the classification of a valence, or nil if the valence is outside −1…1.
  ///
  /// Apple does not publish the limits of the classifications. Here the range is divided into seven equal
  /// parts of 2/7. This agrees with observed values (0.27 is slightly pleasant, 0.5 pleasant, −0.52
  /// unpleasant). A valence exactly on a limit has the classification that is closer to neutral.
  public init?(valence: Double) {
    guard (-1...1).contains(valence) else { return nil }
    let sevenths = valence.magnitude * 7
    let isPleasant = valence > 0
    switch sevenths {
    case ...1: self = .neutral
    case ...3: self = isPleasant ? .slightlyPleasant : .slightlyUnpleasant
    case ...5: self = isPleasant ? .pleasant : .unpleasant
    default: self = isPleasant ? .veryPleasant : .veryUnpleasant
    }
  }
}
