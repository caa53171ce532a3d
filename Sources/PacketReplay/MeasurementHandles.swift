import Bluetooth
import GATT
import HostStack

/// Decides which handle is Heart Rate Measurement where the log holds no declaration of it.
///
/// The order of trust: the handle that the caller named; then a handle which a client configured for notifications
/// and whose first values all are sound, plausible measurements. Values are held until that is decided, so that none
/// is lost; each decision is stated in the tally. Anything else stays unresolved.
struct MeasurementHandles {
  /// How many values in a row must be sound before a configured handle is taken for Heart Rate Measurement.
  static let proof = 5

  enum Verdict {
    /// The value is a measurement; so are the values held before it, oldest first.
    case measurement(releasing: [(AttributeValue, ReceiptTime)])
    /// Not decided yet; the value is kept.
    case held
    case unresolved
  }

  private enum State {
    case configured([(AttributeValue, ReceiptTime)])
    case accepted
    case refused
  }

  private struct Key: Hashable {
    var link: UInt32
    var handle: UInt16
  }

  private let named: UInt16?
  private var states: [Key: State] = [:]
  private(set) var inferred: [InferredHandle] = []

  init(named: UInt16?) { self.named = named }

  /// A client asked for the values of a handle that the log does not name.
  mutating func configured(_ link: Link, _ handle: UInt16) {
    let key = Key(link: link.id, handle: handle)
    if states[key] == nil { states[key] = .configured([]) }
  }

  mutating func judge(_ link: Link, _ handle: UInt16, _ value: AttributeValue, _ time: ReceiptTime) -> Verdict
  {
    let key = Key(link: link.id, handle: handle)
    if handle == named {
      if states.updateValue(.accepted, forKey: key) == nil { state(.namedByCaller, link, handle) }
      return .measurement(releasing: [])
    }
    switch states[key] {
    case .accepted:
      return .measurement(releasing: [])
    case .configured(var held):
      guard Self.isPlausible(value) else {
        states[key] = .refused
        return .unresolved
      }
      guard held.count + 1 >= Self.proof else {
        held.append((value, time))
        states[key] = .configured(held)
        return .held
      }
      states[key] = .accepted
      state(.clientConfiguration, link, handle)
      return .measurement(releasing: held)
    case .refused, nil:
      return .unresolved
    }
  }

  private mutating func state(_ reason: InferredHandle.Reason, _ link: Link, _ handle: UInt16) {
    let statement = InferredHandle(peer: link.peer, handle: handle, reason: reason)
    if !inferred.contains(statement) { inferred.append(statement) }
  }

  /// A frame that decodes without anomaly to a heart rate that a person can have.
  private static func isPlausible(_ value: AttributeValue) -> Bool {
    var isSound = true
    let measurement = value.withBytes { bytes in
      try? HeartRateMeasurement(decoding: bytes) { _ in isSound = false }
    }
    guard isSound, let measurement else { return false }
    return (20...250).contains(measurement.heartRate)
  }
}
