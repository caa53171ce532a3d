import Bluetooth
import Testing

@Suite struct CharacteristicValueTests {
  @Test func `body sensor locations are decoded and encoded`() throws {
    for location in BodySensorLocation.allCases {
      #expect(try BodySensorLocation(decoding: location.encoded) == location)
    }
    #expect(BodySensorLocation.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6])
    #expect(throws: GATTDecodingError(.reservedValue, characteristic: .bodySensorLocation, bytes: [7])) {
      try BodySensorLocation(decoding: [7])
    }
    #expect(throws: GATTDecodingError(.empty, characteristic: .bodySensorLocation, bytes: [])) {
      try BodySensorLocation(decoding: [])
    }
  }

  @Test func `the control point resets energy with 1`() throws {
    #expect(HeartRateControlPoint.resetEnergyExpended.encoded.bytes == [1])
    #expect(throws: GATTDecodingError(.reservedValue, characteristic: .heartRateControlPoint, bytes: [2])) {
      try HeartRateControlPoint(decoding: [2])
    }
  }

  @Test func `battery levels above 100 are reserved`() throws {
    for percentage in 0...100 as ClosedRange<UInt8> {
      let level = try #require(BatteryLevel(percentage: percentage))
      #expect(try BatteryLevel(decoding: level.encoded) == level)
    }
    #expect(BatteryLevel(percentage: 101) == nil)
    #expect(throws: GATTDecodingError(.reservedValue, characteristic: .batteryLevel, bytes: [101])) {
      try BatteryLevel(decoding: [101])
    }
  }

  @Test func `device information text ends at the first NUL`() throws {
    let padded = Array("Cardio ü".utf8) + [0, 0]
    let string = try DeviceInformationString(
      decoding: AttributeValue(padded), of: .manufacturerNameString)
    #expect(string.text == "Cardio ü")
    #expect(string.encoded.bytes == Array("Cardio ü".utf8))
    #expect(throws: GATTDecodingError(.notUTF8, characteristic: .modelNumberString, bytes: [0xC3])) {
      try DeviceInformationString(decoding: [0xC3], of: .modelNumberString)
    }
  }

  @Test func `a PnP ID is decoded and encoded`() throws {
    let bytes: [UInt8] = [0x01, 0x0D, 0x00, 0x34, 0x12, 0x10, 0x01]
    let id = try PnPID(decoding: AttributeValue(bytes))
    #expect(
      id
        == PnPID(
          vendorIDSource: .bluetoothSIG, vendorID: 0x000D, productID: 0x1234, productVersion: 0x0110))
    #expect(id.encoded.bytes == bytes)
    #expect(throws: GATTDecodingError(.tooShort, characteristic: .pnpID, bytes: [2, 0, 0])) {
      try PnPID(decoding: [2, 0, 0])
    }
  }

  @Test func `the description of a decoding failure contains no bytes of the value`() {
    let failure = GATTDecodingError(.tooShort, characteristic: .heartRateMeasurement, bytes: [0xAB])
    #expect(failure.description == "2a37: tooShort, 1 bytes")
  }
}
