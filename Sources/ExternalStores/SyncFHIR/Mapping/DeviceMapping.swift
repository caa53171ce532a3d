import Foundation
import HealthKit

extension FHIR.Device {
  init(_ device: HKDevice) {
    self.init()
    identifier = device.bluetoothIdentifier.map { [$0] }
    udiCarrier = device.udiDeviceIdentifier?.fhirString.map { [UDICarrier(deviceIdentifier: $0)] }
    manufacturer = device.manufacturer?.fhirString
    deviceName = device.name?.fhirString.map { [Name(name: $0, type: "user-friendly-name")] }
    modelNumber = device.model?.fhirString
    let versions = [
      ("hardware", device.hardwareVersion), ("firmware", device.firmwareVersion),
      ("software", device.softwareVersion),
    ].compactMap { kind, text in
      text?.fhirString.map { Version(type: FHIR.CodeableConcept(text: kind), value: $0) }
    }
    version = versions.isEmpty ? nil : versions
  }
}

extension HKDevice {
  /// The Bluetooth address as an identifier, in the form of the Personal Health Device Implementation Guide.
  ///
  /// All gateways see the same address. Other local identifiers are only meaningful on one host, and a UDI's
  /// device identifier names the model rather than the individual device.
  var bluetoothIdentifier: FHIR.Identifier? {
    guard let local = localIdentifier, local.wholeMatch(of: #/([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}/#) != nil
    else { return nil }
    return FHIR.Identifier(
      type: FHIR.CodeableConcept(coding: [
        FHIR.Coding(
          system: "http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers", code: "BTMAC",
          display: "Bluetooth MAC address")
      ]),
      system: "http://hl7.org/fhir/sid/eui-48/bluetooth",
      value: local.uppercased().replacing(":", with: "-"))
  }
}
