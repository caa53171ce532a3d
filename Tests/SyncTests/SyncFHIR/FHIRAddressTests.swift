import ExternalStores
import HealthDataSync
import Testing

@Suite struct FHIRAddressTests {
  @Test(arguments: [
    ("fhir+https://fhir.example.org/r4", "https://fhir.example.org/r4"),
    ("fhir+https://fhir.example.org:8443/", "https://fhir.example.org:8443"),
    ("FHIR+HTTPS://fhir.example.org//", "https://fhir.example.org"),
    ("fhir+http://127.0.0.1:8080/fhir", "http://127.0.0.1:8080/fhir"),
    ("fhir+http://localhost/fhir", "http://localhost/fhir"),
    ("fhir+http://[::1]:80/fhir", "http://[::1]:80/fhir"),
  ])
  func `an address is a base URL`(url: String, base: String) throws {
    #expect(try FHIRAddress(url).base == base)
  }

  @Test func `its settings are the subject, the performer and the authority`() throws {
    let address = try FHIRAddress(
      "fhir+https://h/b?subject=Patient/12-3.a&performer=https://x.example/Practitioner/7&ca=/etc/own.pem")
    #expect(address.subject == "Patient/12-3.a")
    #expect(address.performer == "https://x.example/Practitioner/7")
    #expect(address.certificateAuthority == "/etc/own.pem")
    #expect(address.base == "https://h/b")
  }

  @Test(arguments: [
    ("https://h/b", "fhir+https://host/base"),
    ("", "fhir+https://host/base"),
    ("fhir+https:///b", "no host"),
    ("fhir+https://ada:geheim@h/b", "into a file"),
    ("fhir+https://ada@h/b", "into a file"),
    ("fhir+http://192.168.1.4/b", "another computer"),
    ("fhir+http://127.0.0.1.example.org/b", "another computer"),
    ("fhir+http://localhost.example.org/b", "another computer"),
    ("fhir+https://h:70000/b", "port"),
    ("fhir+https://h/b#x", "#"),
    ("fhir+https://h/b?subject=ada", "Patient/123"),
    ("fhir+https://h/b?subject=Observation/1", "Patient/123"),
    ("fhir+https://h/b?subject=../Patient/1", "Patient/123"),
    ("fhir+https://h/b?performer=Device/1", "Practitioner/123"),
    ("fhir+https://h/b?subject=Patient/1&subject=Patient/2", "once"),
    ("fhir+https://h/b?subject", "once"),
    ("fhir+https://h/b?insecure=yes", "no setting insecure"),
    ("fhir+https://h/b?ca=own.pem", "absolute path"),
  ])
  func `the error for an invalid address names the problem without secrets`(url: String, says: String) {
    do {
      _ = try FHIRAddress(url)
      Issue.record("it was taken")
    } catch {
      #expect(error.description.contains(says), "\(error.description)")
      #expect(error.outlook == .lasting)
      #expect(!error.description.contains("geheim"))
    }
  }
}
