public import Bluetooth

/// A heart-rate strap and its wearer, declared: who made it, what it can do, what goes wrong with it.
public struct StrapProfile: Sendable {
  public var name: String
  public var address: BluetoothAddress
  public var manufacturer = "Simulated Straps"
  public var model: String
  public var serialNumber: String
  public var hardwareRevision = "A"
  public var firmwareRevision = "1.4.0"
  public var softwareRevision = "1.4"
  public var sensorLocation: BodySensorLocation = .chest
  /// Percent.
  public var batteryLevel: UInt8 = 86
  /// The largest attribute PDU that the strap takes, at least 23.
  public var mtu: UInt16 = 23
  public var valueFormat: HeartRateMeasurement.ValueFormat = .uint8
  public var detectsContact = true
  public var reportsRRIntervals = true
  /// Every how many frames the energy total is sent; `nil` for a strap without one.
  public var energyEvery: Int?
  /// Seconds between two frames.
  public var period = 1.0

  public var programme: HeartProgramme = .workout(resting: 62, peak: 148)
  public var ectopicProbability = 0.002
  /// When the electrodes touch no skin.
  public var contactLosses: FaultPlan = .never
  /// When the strap is out of the radio's reach.
  public var linkLosses: FaultPlan = .never

  public init(name: String, address: BluetoothAddress, model: String, serialNumber: String) {
    self.name = name
    self.address = address
    self.model = model
    self.serialNumber = serialNumber
  }

  /// One of a gym's straps. Four kinds take turns: a chest strap that reports everything, one with the
  /// sixteen-bit format and a large MTU, a wrist band without RR intervals or contact detection, and a chest
  /// strap that sends a frame every two seconds.
  public static func sample(index: Int) -> StrapProfile {
    let number = index + 1
    let isPublic = index % 4 == 1
    var strap = StrapProfile(
      name: "Strap \(number)",
      address: BluetoothAddress(
        bits: (isPublic ? 0x02A5_5000_0000 : 0xC2A5_5000_0000) + UInt64(number),
        kind: isPublic ? .publicDevice : .random),
      model: "S-\(index % 4 + 1)", serialNumber: "SIM\(10_000 + number)")
    strap.programme = .workout(resting: 58 + Double(index * 7 % 17), peak: 140 + Double(index * 5 % 31))
    strap.contactLosses = .random(perHour: 6, lasting: 4..<12)
    strap.linkLosses = .random(perHour: 5, lasting: 8..<25)
    switch index % 4 {
    case 1:
      strap.mtu = 247
      strap.valueFormat = .uint16
    case 2:
      strap.sensorLocation = .wrist
      strap.detectsContact = false
      strap.reportsRRIntervals = false
    case 3:
      strap.period = 2
    default:
      strap.energyEvery = 10
    }
    return strap
  }
}
