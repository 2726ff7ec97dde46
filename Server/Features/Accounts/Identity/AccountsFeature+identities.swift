internal import KeepsakeWire
internal import Web

extension AccountsFeature {
    func addIdentityRoutes(to routes: Routes) {
        let (apple, oidc, link, list) = (signInWithApple, signInWithOIDC, linkIdentity, listIdentities)
        routes.serve(IdentityEndpoints.apple) { input, context in try await apple(input, userAgent: context.userAgent) }
        routes.serve(IdentityEndpoints.oidc) { input, context in try await oidc(input, userAgent: context.userAgent) }
        routes.serve(IdentityEndpoints.link) { input, context in try await link(input, try context.requireViewer()) }
        routes.serve(IdentityEndpoints.unlink) { [unlinkIdentity] input, context in
            try await unlinkIdentity(input, try context.requireViewer())
        }
        routes.serve(IdentityEndpoints.identities) { _, context in try await list(try context.requireViewer()) }
    }
}
