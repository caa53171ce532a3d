import Bluetooth
import GATT
import HostStack

/// Decides which handle is Heart Rate Measurement where the log holds no declaration of it.
///
/// The order of trust: the handle that the caller named; then a handle which a client configured for
/// notifications and whose first values all are sound measurements, enough of them with a heart rate. Values
/// are held until that is decided, so that none is lost; each decision is stated in the tally. Anything else
/// stays unresolved.
struct MeasurementHandles {
  /// How many heart rates in a row must be plausible before a configured handle is taken for Heart Rate
  /// Measurement.
  static let proof = 5
  /// How many values are held for that, those of a strap that has not found the heart yet included.
  private static let maximumHeld = 600
  /// How many handles are judged at a time, and how many statements are made; more come from no real log.
  private static let capacity = 256

  enum Verdict {
    /// The value is a measurement; so are the values held before it, oldest first.
    case measurement(releasing: [(AttributeValue, ReceiptTime)])
    /// Not decided yet; the value is kept.
    case held
    case unresolved
  }

  private enum State {
    case configured([(AttributeValue, ReceiptTime)], proofs: Int)
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
    switch states[key] {
    case .accepted, .configured: return
    case .refused: states[key] = .configured([], proofs: 0)
    case nil: if states.count < Self.capacity { states[key] = .configured([], proofs: 0) }
    }
  }

  /// The link is gone, and with it what its handles were.
  mutating func forget(_ link: Link) { states = states.filter { $0.key.link != link.id } }

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
    case .configured(let held, let proofs):
      return judge(key, link, held, proofs, value, time)
    case .refused, nil:
      return .unresolved
    }
  }

  private mutating func judge(
    _ key: Key, _ link: Link, _ held: [(AttributeValue, ReceiptTime)], _ proofs: Int, _ value: AttributeValue,
    _ time: ReceiptTime
  ) -> Verdict {
    guard let heartRate = Self.heartRate(in: value), held.count < Self.maximumHeld else {
      states[key] = .refused
      return .unresolved
    }
    let proofs = heartRate > 0 ? proofs + 1 : proofs
    guard proofs >= Self.proof else {
      states[key] = .configured(held + [(value, time)], proofs: proofs)
      return .held
    }
    states[key] = .accepted
    state(.clientConfiguration, link, key.handle)
    return .measurement(releasing: held)
  }

  private mutating func state(_ reason: InferredHandle.Reason, _ link: Link, _ handle: UInt16) {
    let statement = InferredHandle(peer: link.peer, handle: handle, reason: reason)
    if inferred.count < Self.capacity, !inferred.contains(statement) { inferred.append(statement) }
  }

  /// The heart rate of a frame that decodes without anomaly to one that a person can have; 0 where the strap
  /// says that it has none yet, `nil` for anything else.
  private static func heartRate(in value: AttributeValue) -> UInt16? {
    var isSound = true
    let measurement = value.withBytes { bytes in
      try? HeartRateMeasurement(decoding: bytes) { _ in isSound = false }
    }
    guard isSound, let measurement else { return nil }
    if measurement.heartRate == 0 || measurement.sensorContact == .notDetected { return 0 }
    return (20...250).contains(measurement.heartRate) ? measurement.heartRate : nil
  }
}
