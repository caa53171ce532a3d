public import Bluetooth

/// The properties of a simulated strap and of the person who wears it.
public struct StrapProfile: Sendable {
  /// The advertised name, which is also the value of Device Name.
  public var name: String
  public var address: BluetoothAddress
  /// The strings of the Device Information Service by characteristic.
  public var deviceInformation: [BluetoothUUID: String]
  /// The value of Body Sensor Location.
  public var sensorLocation: BodySensorLocation = .chest
  /// The battery level in percent.
  public var batteryLevel: UInt8 = 86
  /// Maximum size of an attribute PDU in bytes, at least 23.
  public var mtu: UInt16 = 23
  /// Whether the heart rate in a frame has 8 or 16 bits.
  public var valueFormat: HeartRateMeasurement.ValueFormat = .uint8
  /// Whether the strap can detect skin contact.
  public var detectsContact = true
  /// Whether frames contain RR intervals.
  public var reportsRRIntervals = true
  /// The strap sends its total of expended energy in every frame whose number is a multiple of this; `nil`
  /// for never.
  public var energyEvery: Int?
  /// Seconds between two frames.
  public var period = 1.0

  /// The heart rates of the person who wears the strap.
  public var programme: HeartProgramme = .workout(resting: 62, peak: 148)
  /// The probability that a beat is premature, from 0 to 1.
  public var ectopicProbability = 0.002
  /// When the strap has no skin contact.
  public var contactLosses: FaultPlan = .never
  /// When the strap is out of radio range.
  public var linkLosses: FaultPlan = .never

  public init(name: String, address: BluetoothAddress, model: String, serialNumber: String) {
    self.name = name
    self.address = address
    deviceInformation = [
      .manufacturerNameString: "Simulated Straps", .modelNumberString: model,
      .serialNumberString: serialNumber, .hardwareRevisionString: "A", .firmwareRevisionString: "1.4.0",
      .softwareRevisionString: "1.4",
    ]
  }

  /// Whether an address can be that of a strap from ``sample(index:)``.
  public static func isSample(_ address: BluetoothAddress) -> Bool {
    (0..<2).contains { index in
      let sample = sample(index: index).address
      return sample.kind == address.kind && sample.bits >> 16 == address.bits >> 16
    }
  }

  /// Returns an example of a strap. Four kinds alternate:
  /// - a chest strap that reports everything
  /// - a strap with 16-bit heart rates and a large MTU
  /// - a wristband without RR intervals or contact detection
  /// - a chest strap that sends a frame every two seconds
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

/// What a strap advertises: the service in the advertisement, and the name in the scan response.
struct StrapAdvertisement {
  private static let generalDiscoverableLEOnly: [UInt8] = [2, 0x01, 0x06]
  private static let heartRateService: [UInt8] = [3, 0x03, 0x0D, 0x18]
  private static let longestName = 29

  let data = generalDiscoverableLEOnly + heartRateService
  let scanResponse: [UInt8]

  init(_ strap: StrapProfile) {
    let name = Array(strap.name.utf8.prefix(Self.longestName))
    scanResponse = [UInt8(name.count + 1), 0x09] + name
  }
}
