import Foundation
import Glibc
import Testing

@testable import HealthPage
@testable import TestSupport

/// The socket over which the owner asks: `hrgate page sessions`.
@Suite(.timeLimit(.minutes(30))) struct ControlTests {
  @Test func `sessions are listed and ended, and are over for the browser then`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let control = PageControl(socketsIn: folder)
      #expect(try await onOwnThread { try control.sessions() } == [])
      let entered = try await page.entered()
      let session = try #require(try await onOwnThread { try control.sessions() }.first)
      #expect(session.port == page.port)
      let own = try await entered.get("/api/sessions").decoded(SessionList.self).sessions
      #expect(own.map(\.id) == [session.id] && own.first?.isThis == true)
      #expect(try await onOwnThread { try control.end("nothing") } == 0)
      #expect(try await entered.get("/api/session").status == 200)
      #expect(try await onOwnThread { try control.end(session.id) } == 1)
      #expect(try await entered.get("/api/session").status == 401)
      #expect(try await onOwnThread { try control.sessions() } == [])
      #expect(try await onOwnThread { try control.end(nil) } == 0)
    }
  }

  @Test func `the socket is its owner's alone, and goes with the page`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      let path = try #require(page.opening.socket)
      var (ofSocket, ofFolder) = (stat(), stat())
      #expect(lstat(path, &ofSocket) == 0 && lstat(folder, &ofFolder) == 0)
      #expect(ofSocket.st_mode & S_IFMT == S_IFSOCK && ofSocket.st_mode & 0o777 == 0o600)
      #expect(ofFolder.st_mode & 0o777 == 0o700)
    }
    #expect(SocketPlace.all(in: folder) == [])
  }

  @Test func `a folder that others can enter gets no socket, and the page says so and serves`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("open")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    chmod(folder, 0o755)
    try await ServedPage.serve(store.page(), socketsIn: folder) { page in
      #expect(page.opening.socket == nil)
      #expect(page.opening.socketFailure?.contains("chmod 700") == true)
      let client = try await page.entered()
      #expect(try await client.get("/api/session").status == 200)
    }
    #expect(SocketPlace.all(in: folder) == [])
  }

  @Test func `the socket of a server that was killed is passed over`() throws {
    let folder = try TemporaryFolder()
    chmod(folder.url.path, 0o700)
    let place = try SocketPlace(in: folder.url.path, port: 4711)
    #expect(FileManager.default.createFile(atPath: place.path, contents: nil))
    #expect(try PageControl(socketsIn: folder.url.path).sessions() == [])
    #expect(try PageControl(socketsIn: folder.path("none")).end(nil) == 0)
  }
}
