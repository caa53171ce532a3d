import ExternalStores
import HealthDataSync
import Testing

@Suite struct FilesAddressTests {
  @Test func `an address has a folder and optional settings`() throws {
    let bare = try FilesAddress("file:///srv/heart%20rates/")
    #expect(bare.folder == "/srv/heart rates")
    #expect(bare.format == .ndjson)
    #expect(bare.size == 16 << 20)
    #expect(bare.age == .seconds(600))
    let full = try FilesAddress("file:///srv/hr?format=omh&size=500K&age=2h")
    #expect(full.format == .omh)
    #expect(full.size == 500 << 10)
    #expect(full.age == .seconds(7200))
  }

  @Test(arguments: [
    ("/srv/hr", "file:///DIR"), ("", "file:///DIR"), ("file://srv/hr", "three slashes"),
    ("file:///", "no directory"), ("file:////", "no directory"),
    ("file:///a?format=xml", "ndjson, csv or omh"),
    ("file:///a?size=0", "16M"), ("file:///a?size=9999999999999G", "16M"), ("file:///a?size=5T", "16M"),
    ("file:///a?age=-1m", "10m"), ("file:///a?age=", "10m"), ("file:///a?mode=755", "no setting mode"),
    ("file:///a?size=1&size=2", "once"), ("file:///a#b", "three slashes"),
    ("file://ada:geheim@/a", "three slashes"),
  ])
  func `the error for an invalid address names the problem`(url: String, says: String) {
    do {
      _ = try FilesAddress(url)
      Issue.record("the address was accepted")
    } catch {
      #expect(error.description.contains(says), "\(error.description)")
      #expect(error.outlook == .lasting)
      #expect(!error.description.contains("geheim"))
    }
  }
}
