import Testing

@testable import DBus

@Suite struct AuthenticationTests {
  private static let guid = "9f86d081884c7d659a2feaa0c55ad015"

  /// Whether the server has taken us, and after how many octets.
  private func outcome(of line: String, guid: String? = nil) -> Result<Int, BusError>? {
    var authentication = Authentication(user: 1000, guid: guid)
    for (index, octet) in line.utf8.enumerated() {
      do throws(BusError) {
        if try authentication.receive(octet) { return .success(index + 1) }
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  @Test func `it says who we are in digits of digits`() {
    let opening = Authentication(user: 1000, guid: nil).opening
    #expect(opening == [0] + Array("AUTH EXTERNAL 31303030\r\n".utf8))
  }

  @Test func `a server that takes us is believed at the end of its line`() throws {
    let line = "OK \(Self.guid)\r\n"
    #expect(try outcome(of: line + "more", guid: nil)?.get() == line.utf8.count)
    #expect(try outcome(of: line, guid: Self.guid.uppercased())?.get() == line.utf8.count)
    #expect(try outcome(of: "OK\r\n")?.get() == 4)
    #expect(outcome(of: "OK \(Self.guid)\r") == nil)
    #expect(outcome(of: "OK \(Self.guid)\n") == nil)
  }

  @Test(arguments: [
    ("ERROR\r\n", "as a bus"), ("DATA\r\n", "as a bus"),
    ("\r\n", "as a bus"), ("HTTP/1.1 400 Bad Request\r\n", "as a bus"), ("OKAY 1\r\n", "as a bus"),
    ("OK 1\r\n", "its address"), (String(repeating: "x", count: 20_000), "too much"),
  ])
  func `any other is refused with what it said`(line: String, why: String) throws {
    guard case .failure(let error) = outcome(of: line, guid: Self.guid) else {
      Issue.record("it was taken")
      return
    }
    #expect(error.name == .disconnected)
    #expect(error.message.contains(why) && error.message.contains(line.prefix(5).trimmingLine))
  }

  @Test func `a refusal of the user is told as that, with the user's number`() {
    guard case .failure(let error) = outcome(of: "REJECTED ANONYMOUS\r\n") else {
      Issue.record("it was taken")
      return
    }
    #expect(error.name == .authenticationFailed)
    #expect(error.message.contains("does not take this user (number 1000)"))
    #expect(error.message.contains("REJECTED ANONYMOUS"))
  }
}

extension Substring {
  fileprivate var trimmingLine: Substring { prefix { $0 != "\r\n" } }
}
